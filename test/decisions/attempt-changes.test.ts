import {
  batchAfter,
  changesAfter,
  type DecidedAfter,
  factorAfter,
  nodesAvoidedAfter,
} from '../../decisions/attempt-changes.ts';
import { sentencesOfChanges } from '../../decisions/change-sentences.ts';
import type { RetryChange, RetryDecision } from '../../decisions/retry.ts';

const because = { rule: 'class', class: 'gpu-oom', charged: true, spent: 1, budget: 5 } as const;
const shape = (microBatch: number, accumulation: number) => ({ microBatch, accumulation });

function resumed(attempt: number, change: RetryChange | null, avoidNodes: readonly string[] = []): DecidedAfter {
  return { attempt, decision: { kind: 'resume', because, delaySeconds: 0, change, avoidNodes } };
}
function rolledBack(attempt: number, rollBackBefore: number): DecidedAfter {
  const decision: RetryDecision = {
    kind: 'roll-back',
    because,
    delaySeconds: 0,
    change: null,
    avoidNodes: [],
    rollBackBefore,
  };
  return { attempt, decision };
}

const story = [
  resumed(1, { kind: 'micro-batch', from: shape(32, 1), to: shape(16, 2) }),
  rolledBack(2, 30),
  resumed(3, { kind: 'memory', factor: 1.5 }, ['b']),
  resumed(4, { kind: 'micro-batch', from: shape(16, 2), to: shape(8, 4) }, ['a', 'b']),
  resumed(5, null),
  resumed(6, { kind: 'memory', factor: 2.25 }),
  rolledBack(7, 20),
];

test('changes add up and stay: the last cut against the first shape, the largest request, every node, every roll-back', () => {
  expect(changesAfter(story)).toEqual([
    { kind: 'micro-batch', from: shape(32, 1), to: shape(8, 4) },
    { kind: 'memory', factor: 2.25 },
    { kind: 'avoid-nodes', nodes: ['a', 'b'] },
    { kind: 'roll-back', before: 30, upToAttempt: 2 },
    { kind: 'roll-back', before: 20, upToAttempt: 7 },
  ]);
});

test('what a next attempt does follows from them; without any, it does what the recipe says', () => {
  const changes = changesAfter(story);
  expect(batchAfter(changes, shape(32, 1))).toEqual(shape(8, 4));
  expect([factorAfter(changes, 'memory'), factorAfter(changes, 'shared-memory')]).toEqual([2.25, 1]);
  expect(nodesAvoidedAfter(changes)).toEqual(['a', 'b']);
  expect(changesAfter([])).toEqual([]);
  expect(batchAfter([], shape(32, 1))).toEqual(shape(32, 1));
});

test('a person reads them as sentences', () => {
  const shared = resumed(8, { kind: 'shared-memory', factor: 2 });
  expect(sentencesOfChanges(changesAfter([...story, shared]))).toEqual([
    'Micro-batch × accumulation is 8 × 4 instead of 32 × 1.',
    'Asks for 2.25 times the memory.',
    'Asks for 2.00 times the shared memory.',
    'Keeps away from a, b where it can.',
  ]);
});
