import { type HealthQuestions, type HealthServer, startHealthServer } from '../../../workers/health/health-server.ts';
import { problemLog } from '../../../workers/health/problem-log.ts';

const lines: string[] = [];
const questions: HealthQuestions = {
  readiness: () => Promise.resolve({ isReady: true, lines: ['worker: ok', 'temporal: ok'] }),
  metrics: () => Promise.resolve('temper_ready{} 1\n'),
  problems: problemLog((line) => lines.push(line)),
};
const servers: HealthServer[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

async function asking(change: Partial<HealthQuestions> = {}) {
  const server = await startHealthServer(0, { ...questions, ...change });
  servers.push(server);
  return async (path: string, method = 'GET') => {
    const answer = await fetch(`http://127.0.0.1:${String(server.port)}${path}`, { method });
    return [answer.status, await answer.text()];
  };
}

test.each([
  { path: '/healthz', status: 200, text: 'ok\n' },
  { path: '/readyz', status: 200, text: 'worker: ok\ntemporal: ok\n' },
  { path: '/readyz?verbose', status: 200, text: 'worker: ok\ntemporal: ok\n' },
  { path: '/metrics', status: 200, text: 'temper_ready{} 1\n' },
  { path: '/', status: 404, text: 'there are /healthz, /readyz and /metrics\n' },
  { path: '/healthz', method: 'POST', status: 405, text: 'only GET and HEAD\n' },
  { path: '/readyz', method: 'HEAD', status: 200, text: '' },
])('$path answers $status', async ({ path, method, status, text }) => {
  const ask = await asking();
  expect(await ask(path, method)).toEqual([status, text]);
});

test('a worker that is not ready says 503, with why', async () => {
  const ask = await asking({ readiness: () => Promise.resolve({ isReady: false, lines: ['worker: it begins'] }) });
  expect(await ask('/readyz')).toEqual([503, 'worker: it begins\n']);
});

test('why a question fails is for the log: who reaches the port learns no address', async () => {
  const ask = await asking({ readiness: () => Promise.reject(new Error('user temper at db.internal')) });
  expect(await ask('/readyz')).toEqual([500, "this cannot be told now: see the worker's log\n"]);
  expect(lines).toEqual(['health: a question was not answered: user temper at db.internal']);
});

test('a port that is taken is refused with the option that names another', async () => {
  const server = await startHealthServer(0, questions);
  servers.push(server);
  await expect(startHealthServer(server.port, questions)).rejects.toMatchObject({
    code: 'environment-unusable',
    message: `port ${String(server.port)} cannot be listened on (EADDRINUSE): name another with --health-port`,
  });
});
