import { countRequests, isWrite, readAudit } from '../../../bench/cluster/audit.ts';

const event = (stage: string, verb: string, objectRef: object) =>
  JSON.stringify({
    stage,
    verb,
    user: { username: 'system:serviceaccount:bench:temper-worker' },
    requestReceivedTimestamp: '2026-11-30T02:00:00.250000Z',
    objectRef,
  });

const log = [
  event('ResponseComplete', 'create', { resource: 'jobs' }),
  event('ResponseComplete', 'get', { resource: 'pods', subresource: 'log' }),
  event('ResponseStarted', 'watch', { resource: 'jobs' }),
  event('ResponseComplete', 'watch', { resource: 'jobs' }),
  event('ResponseComplete', 'create', { resource: 'jobs' }),
  '',
].join('\n');

test('each request counts once, a watch when it begins to answer', () => {
  const requests = readAudit(log);
  expect([...countRequests(requests)]).toEqual([
    ['create jobs', 2],
    ['get pods/log', 1],
    ['watch jobs', 1],
  ]);
  expect(requests[0]).toMatchObject({
    at: Date.parse('2026-11-30T02:00:00.250Z'),
    user: expect.stringContaining('temper-worker') as string,
  });
});

test.each([
  ['create', true],
  ['patch', true],
  ['delete', true],
  ['get', false],
  ['list', false],
  ['watch', false],
])('%s is a write: %p', (verb, want) => {
  expect(isWrite({ verb })).toBe(want);
});
