import { nearestFinished, type PhasePlan, sentenceOfPlan } from '../../decisions/plan.ts';

const from = { pipeline: 'demo', phase: 'sft', at: '2026-11-29T20:15:30.000Z' };
const run = (because: Extract<PhasePlan, { would: 'run' }>['because']): PhasePlan => ({ would: 'run', because });
const digest = (letter: string) => letter.repeat(64);

test.each<{ title: string; plan: PhasePlan; want: string }>([
  {
    title: 'finished work is named with its checkpoint',
    plan: { would: 'reuse', from, checkpoint: 'demo/sft/a1/checkpoint-50' },
    want: 'Reused from demo (phase sft, 2026-11-29 20:15 UTC): the same work, and demo/sft/a1/checkpoint-50 is still sealed.',
  },
  {
    title: 'work in another store is named with its place',
    plan: run({
      rule: 'elsewhere',
      from,
      path: '/data/store/pipelines/demo/sft/attempt-1/checkpoints/checkpoint-50',
    }),
    want: 'Runs: the same work was finished by demo (phase sft, 2026-11-29 20:15 UTC), in a store that is not this profile’s (/data/store/pipelines/demo/sft/attempt-1/checkpoints/checkpoint-50).',
  },
  {
    title: 'work that ended because nobody came is none for a recipe that says otherwise',
    plan: run({ rule: 'undecided', from, path: '/data/store' }),
    want: 'Runs: the same work was finished by demo (phase sft, 2026-11-29 20:15 UTC), but nobody decided its gate, and this recipe says otherwise what follows then (hold.then).',
  },
  {
    title: 'a field of the phase is named as --set takes it, one of the recipe by itself',
    plan: run({
      rule: 'differs',
      from,
      differences: [
        { path: 'params.steps', before: 50, after: 60 },
        { path: 'seed', before: 1, after: 2 },
      ],
    }),
    want: 'Runs: phases.sft.params.steps was 50 and is now 60, seed was 1 and is now 2, compared with demo (phase sft, 2026-11-29 20:15 UTC).',
  },
  {
    title: 'another start is no digest to read',
    plan: run({ rule: 'differs', from, differences: [{ path: 'start', before: digest('a'), after: digest('b') }] }),
    want: 'Runs: it starts from another checkpoint (bbbbbbbbbbbb instead of aaaaaaaaaaaa), compared with demo (phase sft, 2026-11-29 20:15 UTC).',
  },
  {
    title: 'many differences are counted',
    plan: run({
      rule: 'start-runs',
      start: 'base',
      differences: [1, 2, 3, 4, 5].map((step) => ({ path: `gate.${step}`, before: undefined, after: step })),
    }),
    want: 'Runs: base runs, and this phase starts from it; also phases.sft.gate.1 was absent and is now 1, phases.sft.gate.2 was absent and is now 2, phases.sft.gate.3 was absent and is now 3, and 2 more.',
  },
])('$title', ({ plan, want }) => {
  expect(sentenceOfPlan('sft', plan)).toBe(want);
});

const work = (fields: Record<string, unknown>) => ({ identityText: JSON.stringify(fields) });

test('what is compared with is the finished work with the fewest differences, the newest of several', () => {
  const finished = [work({ a: 1, b: 2, c: 9 }), work({ a: 1, b: 2, c: 3 }), work({ a: 1, b: 2, c: 4 })];
  expect(nearestFinished('{"a":1,"b":5,"c":3}', finished)).toEqual({
    finished: finished[1],
    differences: [{ path: 'b', before: 2, after: 5 }],
  });
  expect(nearestFinished('{"a":1,"b":2,"c":5}', finished)?.finished).toBe(finished[0]);
  expect(nearestFinished('{}', [])).toBeNull();
});
