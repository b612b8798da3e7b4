/** Fields that do not go together, each named at the field that should change. */
import { answerTo } from '../support/recipe-answer.ts';
import { basePhase, type Document, leastPhases, recipeOf, recipeWithSft } from '../support/recipes.ts';

const sft = (change: Document) => ({ ...leastPhases.sft, ...change });
const params = (change: Document) => ({ params: { ...leastPhases.sft.params, ...change } });
const atLeast = (benchmark: string) => ({ require: { scoreAtLeast: { benchmark, score: 0.5 } } });
const notWorse = (benchmark: string) => ({ require: { notWorseThanParent: { benchmark, margin: 0.02 } } });
const onlyFirst =
  'the first phase is of kind "base" (it makes or names the start), and no other is; or it names `from: {checkpoint: pipeline/phase}`';
const scoredOutside = { outside: true, problems: 50 };

test.each<{ title: string; recipe: Document; want: string[] }>([
  { title: 'a recipe that keeps every rule', recipe: recipeOf(), want: ['valid'] },
  {
    title: 'steps for a model that is only named',
    recipe: { ...recipeOf(), model: { path: '/models/large' }, phases: [{ ...basePhase, params: { steps: 200 } }] },
    want: [
      'phases.base.params.steps: is 200, and model.path names a finished model, which is taken as it is: leave steps out',
    ],
  },
  {
    title: 'two phases of one name',
    recipe: recipeOf([sft({}), sft({})]),
    want: ['phases.sft.name: a phase named "sft" stands above: phases are addressed by their name'],
  },
  {
    title: 'no base at the start',
    recipe: { ...recipeOf(), phases: [sft({})] },
    want: [`phases.sft.kind: ${onlyFirst}`],
  },
  {
    title: 'no base, and a start that another pipeline promoted',
    recipe: { ...recipeOf(), phases: [sft({ from: { checkpoint: 'demo/sft' } }), leastPhases.orpo] },
    want: ['valid'],
  },
  {
    title: 'a later phase that another pipeline begins',
    recipe: recipeOf([sft({}), { ...leastPhases.orpo, from: { checkpoint: 'demo/sft' } }]),
    want: ['valid'],
  },
  {
    title: 'a base that starts from a checkpoint',
    recipe: { ...recipeOf(), phases: [{ ...basePhase, from: { checkpoint: 'demo/sft' } }] },
    want: ['phases.base.from: a base makes or names the start: say from.checkpoint in a phase of another kind'],
  },
  {
    title: 'a base in the middle',
    recipe: recipeOf([{ ...basePhase, name: 'again' }]),
    want: [`phases.again.kind: ${onlyFirst}`],
  },
  {
    title: 'a start that comes later',
    recipe: recipeOf([sft({ from: 'orpo' }), leastPhases.orpo]),
    want: ['phases.sft.from: no phase named "orpo" comes before this one; before it: base'],
  },
  {
    title: 'a start that is itself',
    recipe: recipeWithSft({ from: 'sft' }),
    want: ['phases.sft.from: no phase named "sft" comes before this one; before it: base'],
  },
  {
    title: 'a start that stands above',
    recipe: recipeOf([sft({}), { ...leastPhases.orpo, from: 'base' }]),
    want: ['valid'],
  },
  {
    title: 'a checkpoint after the end',
    recipe: recipeWithSft(params({ steps: 5, checkpointEvery: 10 })),
    want: ['phases.sft.params.checkpointEvery: is above steps (5): no checkpoint would come before the end'],
  },
  {
    title: 'a run that is to be stopped by scores that nobody takes while it trains',
    recipe: recipeWithSft({ evaluate: { benchmarks: ['addition'] }, onCollapse: 'stop' }),
    want: [
      'phases.sft.onCollapse: is "stop", and only its last checkpoint is evaluated: set evaluate.every, so that there is something to fall from',
    ],
  },
  {
    title: 'a run that is to be stopped by scores of its last checkpoint alone',
    recipe: recipeWithSft({ evaluate: { every: 50, benchmarks: ['addition'] }, onCollapse: 'stop' }),
    want: [
      'phases.sft.onCollapse: is "stop", and only its last checkpoint is evaluated: evaluate.every is 50 and steps is 50; name fewer steps, so that there is something to fall from',
    ],
  },
  {
    title: 'an evaluation after the last step, as a shortened phase has it',
    recipe: recipeWithSft({ evaluate: { every: 60, benchmarks: ['addition'] } }),
    want: ['valid'],
  },
  {
    title: 'an evaluation where no checkpoint is',
    recipe: recipeWithSft({ evaluate: { every: 15, benchmarks: ['addition'] } }),
    want: ['phases.sft.evaluate.every: is 15, and a checkpoint comes every 10 steps: name a multiple'],
  },
  {
    title: 'an evaluation on a benchmark that is not there',
    recipe: recipeWithSft({ evaluate: { benchmarks: ['additions'] } }),
    want: ['phases.sft.evaluate.benchmarks.0: no benchmark named "additions"; there are: addition'],
  },
  {
    title: 'a rank by a benchmark that is not there',
    recipe: recipeWithSft({ evaluate: { benchmarks: ['addition'] }, gate: [{ rank: { by: 'sums' } }] }),
    want: ['phases.sft.gate.0.rank.by: no benchmark named "sums"; there are: addition'],
  },
  {
    title: 'a bound on a benchmark that the phase is not evaluated on',
    recipe: recipeWithSft({ gate: [notWorse('addition'), atLeast('addition')] }),
    want: [
      'phases.sft.gate.0.require.notWorseThanParent.benchmark: the gate looks at "addition", which "evaluate.benchmarks" of this phase does not name',
      'phases.sft.gate.1.require.scoreAtLeast.benchmark: the gate looks at "addition", which "evaluate.benchmarks" of this phase does not name',
    ],
  },
  {
    title: 'a comparison and a runtime limit on benchmarks that the phase is not evaluated on',
    recipe: recipeWithSft({
      gate: [
        { compare: { benchmark: 'addition' } },
        { require: { runtimeAtMost: { benchmark: 'sums', minutes: 300 } } },
      ],
    }),
    want: [
      'phases.sft.gate.0.compare.benchmark: the gate looks at "addition", which "evaluate.benchmarks" of this phase does not name',
      'phases.sft.gate.1.require.runtimeAtMost.benchmark: no benchmark named "sums"; there are: addition',
    ],
  },
  {
    title: 'a misspelled benchmark, and not again each gate that looks at it',
    recipe: recipeWithSft({ evaluate: { benchmarks: ['additon'] }, gate: [{ rank: { by: 'addition' } }] }),
    want: ['phases.sft.evaluate.benchmarks.0: no benchmark named "additon"; there are: addition'],
  },
  {
    title: 'a benchmark that is called like what every object has',
    recipe: recipeWithSft({ evaluate: { benchmarks: ['constructor'] } }),
    want: ['phases.sft.evaluate.benchmarks.0: no benchmark named "constructor"; there are: addition'],
  },
  {
    title: 'no benchmarks at all',
    recipe: { ...recipeWithSft({ evaluate: { benchmarks: ['addition'] } }), benchmarks: {} },
    want: ['phases.sft.evaluate.benchmarks.0: no benchmark named "addition"; there are: none'],
  },
  {
    title: 'a gate that looks at a benchmark which is scored outside',
    recipe: recipeOf([sft({ gate: [atLeast('public')] })], { benchmarks: { public: scoredOutside } }),
    want: ['valid'],
  },
  {
    title: 'an evaluation by a job on a benchmark that is scored outside',
    recipe: recipeOf([sft({ evaluate: { benchmarks: ['public'] } })], { benchmarks: { public: scoredOutside } }),
    want: [
      'phases.sft.evaluate.benchmarks.0: no job evaluates "public", which is scored outside: leave it out here; a gate may name it all the same',
    ],
  },
  {
    title: 'a gate that waits for a person in a recipe that waits for nobody',
    recipe: recipeOf([sft({ gate: [atLeast('public')] })], {
      benchmarks: { public: scoredOutside },
      onFailure: 'fail',
    }),
    want: [
      'onFailure: is "fail", and the gate of phase "sft" waits for scores on "public" that a person brings: say "hold"',
    ],
  },
  {
    title: 'fields of an evaluation on a benchmark that is scored outside',
    recipe: recipeOf([], { benchmarks: { public: { ...scoredOutside, samples: 4, problem: 50 } } }),
    want: [
      'benchmarks.public.samples: is no field here; fields: outside, version, problems',
      'benchmarks.public.problem: is no field here; did you mean "problems"? Fields: outside, version, problems',
    ],
  },
  {
    title: 'a benchmark that is scored somewhere',
    recipe: recipeOf([], { benchmarks: { public: { outside: 'maybe' } } }),
    want: ['benchmarks.public.outside: is "maybe"; one of: false, true'],
  },
  {
    title: 'a merge that refuses what the LoRA before it trains',
    recipe: recipeOf([sft(params({ lora: { targets: ['q', 'experts'] } })), leastPhases.orpo, leastPhases.bake]),
    want: [
      'phases.bake.params.experts: is "refuse", and the LoRA of phase "sft" (phases.1) trains the experts: say "requantize", or take experts out of its targets',
    ],
  },
  {
    title: 'a merge that starts before the LoRA on experts',
    recipe: recipeOf([sft(params({ lora: { targets: ['experts'] } })), { ...leastPhases.bake, from: 'base' }]),
    want: ['valid'],
  },
  {
    title: 'a second merge, after the experts are merged',
    recipe: recipeOf([
      sft(params({ lora: { targets: ['experts'] } })),
      { ...leastPhases.bake, params: { experts: 'requantize' } },
      { ...leastPhases.bake, name: 'again' },
    ]),
    want: ['valid'],
  },
  {
    title: 'a budget that all phases together go beyond',
    recipe: {
      ...recipeWithSft({ evaluate: { every: 10, benchmarks: ['addition'], seeds: 2 } }),
      budgets: { evaluations: 9 },
    },
    want: ['budgets.evaluations: is 9, and the phases begin with 10 (checkpoints × benchmarks × seeds: sft 10)'],
  },
  {
    title: 'rewards that never count',
    recipe: recipeOf([
      {
        ...leastPhases.drgrpo,
        params: {
          ...leastPhases.drgrpo.params,
          rewards: [20, 10, undefined, 50].map((until) => ({ until, weights: { exact: 1 } })),
        },
      },
    ]),
    want: [
      'phases.drgrpo.params.rewards.1.until: is 10, and the rewards above hold until 20',
      'phases.drgrpo.params.rewards.2.until: is missing: only the last rewards hold to the end',
    ],
  },
  {
    title: 'rewards that begin at the end',
    recipe: recipeOf([
      {
        ...leastPhases.drgrpo,
        params: {
          ...leastPhases.drgrpo.params,
          rewards: [{ until: 50, weights: { exact: 1 } }, { weights: { boxed: 1 } }],
        },
      },
    ]),
    want: ['phases.drgrpo.params.rewards.0.until: is 50, and the phase has 50 steps: those below never count'],
  },
  {
    title: 'fewer rows than a step takes',
    recipe: recipeOf([{ ...leastPhases.drgrpo, data: { tiny: 'problems', rows: 4 } }]),
    want: ['phases.drgrpo.data.rows: is 4, below promptsPerStep (8): not one step would be full'],
  },
  {
    title: 'data that the kind cannot read',
    recipe: recipeOf([
      sft({ data: { tiny: 'problems' } }),
      { ...leastPhases.sao, data: { tiny: 'solutions' } },
      { ...leastPhases.orpo, params: { ...leastPhases.orpo.params, pairs: { from: 'data' } } },
    ]),
    want: [
      'phases.sft.data.tiny: is "problems", and sft imitates: say "solutions"',
      'phases.sao.data.tiny: is "solutions", and sao answers: say "problems"',
      'phases.orpo.data.tiny: is "problems", and pairs.from is "data": pairs are read from a jsonl file, or made with pairs.from "policy"',
    ],
  },
  {
    title: 'a benchmark of solutions',
    recipe: recipeOf([], { benchmarks: { addition: { data: { tiny: 'solutions' }, grader: 'exact-match' } } }),
    want: [
      'benchmarks.addition.data.tiny: is "solutions", and a benchmark scores problems: say "held-out" (or "problems")',
    ],
  },
  {
    title: 'a tolerance where numbers are compared, and only there',
    recipe: recipeOf([], {
      benchmarks: {
        unstated: { data: { tiny: 'held-out' }, grader: 'numeric' },
        empty: { data: { tiny: 'held-out' }, grader: 'numeric', tolerance: {} },
        stated: { data: { tiny: 'held-out' }, grader: 'numeric', tolerance: { relative: 0.01 } },
        exact: { data: { tiny: 'held-out' }, grader: 'exact-match', tolerance: { absolute: 1 } },
      },
    }),
    want: [
      'benchmarks.unstated.tolerance: is not stated, and grader "numeric" compares within it: say {relative: 0.000001}, or {absolute: …}',
      'benchmarks.empty.tolerance: is not stated, and grader "numeric" compares within it: say {relative: 0.000001}, or {absolute: …}',
      'benchmarks.exact.tolerance: is for grader "numeric", and this benchmark has "exact-match": leave it out',
    ],
  },
  {
    title: 'a vote that its samples can hold, and a time that its problems have',
    recipe: recipeOf([], {
      benchmarks: {
        alone: { data: { tiny: 'held-out' }, grader: 'boxed-integer', vote: {} },
        many: { data: { tiny: 'held-out' }, grader: 'boxed-integer', samples: 8, vote: { agreeing: 9 } },
        both: { data: { tiny: 'held-out' }, grader: 'boxed-integer', samples: 8, vote: { agreeing: 4, of: 8 } },
        short: {
          data: { tiny: 'held-out' },
          grader: 'boxed-integer',
          time: { problemMinutes: 5, upToMinutes: 3, runMinutes: 4 },
        },
      },
    }),
    want: [
      'benchmarks.alone.vote: is over the samples of a problem, and this benchmark has 1: say samples: 8, or leave the vote out',
      'benchmarks.many.vote.agreeing: is 9, and a problem has 8 samples: name so many at most',
      'benchmarks.both.vote.of: draws from all samples, and "agreeing" leaves some out: name one of the two',
      'benchmarks.short.time.upToMinutes: is 3, and each problem has 5: name so many at least',
      'benchmarks.short.time.runMinutes: is 4, and each problem has 5: name so many at least',
    ],
  },
])('$title', async ({ recipe, want }) => {
  expect(await answerTo(recipe)).toEqual(want);
});
