import { type HealthServer, startHealthServer } from '../../../workers/health/health-server.ts';

let isReady = true;
let server: HealthServer;
beforeAll(async () => {
  server = await startHealthServer(0, {
    readiness: () => Promise.resolve({ isReady, lines: ['worker: ok', 'temporal: ok'] }),
    metrics: () => Promise.reject(new Error('the ledger is away')),
  });
});
afterAll(() => {
  server.close();
});

const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${String(server.port)}${path}`, { method });

test.each([
  { path: '/healthz', status: 200, text: 'ok\n' },
  { path: '/readyz', status: 200, text: 'worker: ok\ntemporal: ok\n' },
  { path: '/readyz?verbose', status: 200, text: 'worker: ok\ntemporal: ok\n' },
  { path: '/metrics', status: 500, text: 'the ledger is away\n' },
  { path: '/', status: 404, text: 'there are /healthz, /readyz and /metrics\n' },
  { path: '/healthz', method: 'POST', status: 405, text: 'only GET and HEAD\n' },
  { path: '/readyz', method: 'HEAD', status: 200, text: '' },
])('$path answers $status', async ({ path, method, status, text }) => {
  const answer = await ask(path, method);
  expect([answer.status, await answer.text()]).toEqual([status, text]);
});

test('a worker that is not ready says 503, with why', async () => {
  isReady = false;
  const answer = await ask('/readyz');
  expect([answer.status, await answer.text()]).toEqual([503, 'worker: ok\ntemporal: ok\n']);
});

test('a port that is taken is refused with the option that names another', async () => {
  const taken = startHealthServer(server.port, {
    readiness: () => Promise.reject(new Error()),
    metrics: () => Promise.reject(new Error()),
  });
  await expect(taken).rejects.toMatchObject({
    code: 'environment-unusable',
    message: `port ${String(server.port)} cannot be listened on (EADDRINUSE): name another with --health-port`,
  });
});
