/** The order of a sweep's evaluations, and what gets none any more. */
import { dueEvaluations } from '../../decisions/sweep-due.ts';
import type { SweptCheckpoint } from '../../decisions/sweep.ts';
import { checkpoint, evaluation, type EvaluationBuilder } from '../support/builders.ts';
import { level, noisy } from '../support/gate-builders.ts';

const swept = (id: string, more: Partial<SweptCheckpoint> = {}): SweptCheckpoint => ({
  ...checkpoint(id, 10),
  subjects: [{ kind: 'named', checkpoint: id }],
  versions: { addition: 1 },
  group: 'one',
  ...more,
});
const noTurn = () => Promise.resolve();
const due = async (ids: readonly string[], seen: readonly EvaluationBuilder[], seeds = 3) => {
  const checkpoints = ids.map((id) => swept(id));
  const evaluations = seen.map((one) => one.build());
  const found = await dueEvaluations({ checkpoints, benchmarks: ['addition'], evaluations, seeds }, noTurn);
  return found.map(({ checkpoint: id, seed, because }) => `${id} ${String(seed)} ${because}`);
};
const scored = (id: string, correct: readonly number[], seed = 1) => evaluation(id).seed(seed).scoring(correct);

test('what was never evaluated comes first, then the contender with the widest interval', async () => {
  const narrow = level(2, 20);
  expect(await due(['narrow', 'wide', 'new'], [scored('narrow', narrow), scored('wide', noisy(4))])).toEqual([
    'new 1 never-evaluated',
    'wide 2 contender',
    'narrow 2 contender',
  ]);
});

test('of equal intervals the one with the fewest seeds, so that seeds go on in turn', async () => {
  const seen = [scored('a', level(2)), scored('a', level(2), 2), scored('b', level(2))];
  expect(await due(['a', 'b'], seen)).toEqual(['b 2 contender', 'a 3 contender']);
});

test('what is surely below the highest gets no further seed, however wide its interval', async () => {
  expect(await due(['best', 'below'], [scored('best', level(4)), scored('below', noisy())])).toEqual([
    'best 2 contender',
  ]);
});

test('a checkpoint with all its seeds is not due; a seed in the middle that is missing is', async () => {
  const all = [1, 2, 3].map((seed) => scored('a', level(2), seed));
  expect(await due(['a'], all)).toEqual([]);
  expect(await due(['a'], [scored('a', level(2)), scored('a', level(2), 3)])).toEqual(['a 2 contender']);
});

test('each version of a benchmark is judged by itself, and none is due where the recipe has it not', async () => {
  const checkpoints = [swept('old'), swept('new', { versions: { addition: 2 } }), swept('none', { versions: {} })];
  const evaluations = [scored('old', level(0)).build()];
  const keys = await dueEvaluations({ checkpoints, benchmarks: ['addition'], evaluations, seeds: 2 }, noTurn);
  expect(keys).toMatchObject([
    { checkpoint: 'new', version: 2, seed: 1 },
    { checkpoint: 'old', version: 1, seed: 2 },
  ]);
});

test('the order does not depend on the order of what is known', async () => {
  const seen = [scored('a', level(2, 3)), scored('b', noisy(2)), scored('c', level(2, 9))];
  expect(await due(['c', 'a', 'b'], seen.toReversed())).toEqual(await due(['a', 'b', 'c'], seen));
});

test('others get their turn between any two checkpoints', async () => {
  let turns = 0;
  const checkpoints = ['a', 'b', 'c'].map((id) => swept(id));
  await dueEvaluations({ checkpoints, benchmarks: ['addition'], evaluations: [], seeds: 1 }, () => {
    turns += 1;
    return Promise.resolve();
  });
  expect(turns).toBe(3);
});
