/** What Prometheus gets while a part of a worker is away: everything else, at once, and no address. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { AttemptRecord } from '../../../store/ledger/attempts.ts';
import { freeLocalPort, metricsOf, type MetricsOptions } from '../../../workers/health/metrics.ts';
import { problemLog } from '../../../workers/health/problem-log.ts';

/** The SDK's own page. */
const sdk = createServer((request, response) => {
  response.writeHead(request.url === '/metrics' ? 200 : 404).end('temporal_request_total{} 7\n');
});
const failing = createServer((_request, response) => {
  response.writeHead(503).end('not yet');
});
const portOf = (server: typeof sdk) => (server.address() as AddressInfo).port;
beforeAll(async () => {
  for (const server of [sdk, failing]) await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  for (const server of [sdk, failing]) server.close();
});

const attempts = ['running', 'running', 'queued'].map((state) => ({ purpose: 'train', state }) as AttemptRecord);

function metricsWith(change: Partial<MetricsOptions> = {}) {
  const lines: string[] = [];
  const options: MetricsOptions = {
    ledger: { liveAttempts: () => Promise.resolve(attempts) },
    backend: { unseenSeconds: () => 0 },
    readiness: () => Promise.resolve({ isReady: true, lines: [] }),
    profile: 'cluster',
    sdkPort: portOf(sdk),
    problems: problemLog((line) => lines.push(line)),
    answerSeconds: 0.2,
  };
  return { metrics: metricsOf({ ...options, ...change }), lines };
}

const samples = (text: string) => text.split('\n').filter((line) => line !== '' && !/^# (HELP|TYPE)/.test(line));
const own = ['temper_unseen_seconds{profile="cluster"} 0', 'temper_ready{profile="cluster"} 1'];
const live = [
  'temper_live_attempts{purpose="train",state="running"} 2',
  'temper_live_attempts{purpose="train",state="queued"} 1',
];
const ofSdk = 'temporal_request_total{} 7';
const leftOut = (what: string) => `# ${what} cannot be told now: see the worker's log`;

test('everything that can be asked', async () => {
  const { metrics, lines } = metricsWith();
  expect(samples(await metrics())).toEqual([...live, ...own, ofSdk]);
  expect(lines).toEqual([]);
});

test.each([
  {
    title: 'the ledger refuses',
    change: { ledger: { liveAttempts: () => Promise.reject(new Error('user temper at db.internal')) } },
    want: [leftOut('temper_live_attempts'), ...own, ofSdk],
    line: 'health: temper_live_attempts cannot be told: user temper at db.internal',
  },
  {
    title: 'the ledger hangs',
    change: { ledger: { liveAttempts: () => new Promise<never>(() => undefined) } },
    want: [leftOut('temper_live_attempts'), ...own, ofSdk],
    line: 'health: temper_live_attempts cannot be told: no answer within 0.2 s',
  },
  {
    title: 'the SDK says that it cannot',
    change: () => ({ sdkPort: portOf(failing) }),
    want: [...live, ...own, leftOut('temporal_…')],
    line: expect.stringContaining('the SDK answers 503: not yet') as string,
  },
  {
    title: 'the SDK does not listen',
    change: async () => ({ sdkPort: await freeLocalPort() }),
    want: [...live, ...own, leftOut('temporal_…')],
    line: expect.stringContaining('temporal_… cannot be told') as string,
  },
])('while $title, the rest is told, and why is in the log once', async ({ change, want, line }) => {
  const { metrics, lines } = metricsWith(typeof change === 'function' ? await change() : change);
  expect(samples(await metrics())).toEqual(want);
  expect(samples(await metrics())).toEqual(want);
  expect(lines).toEqual([line]);
});

test('a database that hangs is asked once, whoever comes and however often', async () => {
  let asked = 0;
  const hanging = { liveAttempts: () => new Promise<never>(() => (asked += 1)) };
  const { metrics } = metricsWith({ ledger: hanging, answerSeconds: 0.05 });
  await Promise.all([metrics(), metrics()]);
  await metrics();
  expect(asked).toBe(1);
});
