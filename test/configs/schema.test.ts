/** Every field that a recipe or a profile can have wrong, with the exact answer that a person sees. */
import { problemList, problemsOf } from '../../configs/problems.ts';
import { profileSchema, recipeSchema } from '../../configs/schema.ts';
import { type Document, addition, basePhase, leastPhases, recipeOf, recipeWithSft } from '../support/recipes.ts';

function answerTo(schema: typeof recipeSchema | typeof profileSchema, document: unknown): string[] {
  const result = schema.safeParse(document);
  if (result.success) return ['valid'];
  return problemList(problemsOf(schema, document, result.error.issues))
    .split('\n')
    .map((line) => line.trim());
}

const params = (change: Document) => recipeWithSft({ params: { ...leastPhases.sft.params, ...change } });
const gate = (...stages: unknown[]) =>
  recipeWithSft({ evaluate: { benchmarks: ['addition'] }, gate: stages } satisfies Document);
const noField = (names: string) => `is no field here; ${names}`;
const fieldsOfRecipe = 'name, seed, model, benchmarks, phases, budgets, onFailure, hold';
const fieldsOfLocal = 'name, backend, store, slots, trainer, graceSeconds, evaluations, ledger, notify';
const nameRule = 'a name is lower-case letters, digits and single dashes, and begins with a letter';

describe('a recipe', () => {
  test.each<{ title: string; document: unknown; want: string[] }>([
    { title: 'a list', document: [], want: ['the document: is a list, and must be a group of fields'] },
    { title: 'a text', document: 'tiny', want: ['the document: is "tiny", and must be a group of fields'] },
    { title: 'nothing', document: null, want: ['the document: is empty, and must be a group of fields'] },
    {
      title: 'no fields',
      document: {},
      want: ['name: is missing (a text)', 'model: is missing (a group of fields)', 'phases: is missing (a list)'],
    },
    {
      title: 'a field that is nearly right',
      document: recipeOf([], { sede: 1 }),
      want: [`sede: ${noField(`did you mean "seed"? Fields: ${fieldsOfRecipe}`)}`],
    },
    {
      title: 'a field that is like nothing',
      document: recipeOf([], { wandbProjectName: 1 }),
      want: [`wandbProjectName: ${noField(`fields: ${fieldsOfRecipe}`)}`],
    },
    { title: 'a name with a capital', document: recipeOf([], { name: 'Tiny' }), want: [`name: ${nameRule}`] },
    { title: 'a name with two dashes', document: recipeOf([], { name: 'a--b' }), want: [`name: ${nameRule}`] },
    { title: 'a name that is a path', document: recipeOf([], { name: '../a' }), want: [`name: ${nameRule}`] },
    {
      title: 'a name that fills a job name',
      document: recipeOf([], { name: 'a'.repeat(41) }),
      want: ['name: has 41 characters, and must have at most 40'],
    },
    {
      title: 'a seed of half',
      document: recipeOf([], { seed: 0.5 }),
      want: ['seed: is 0.5, and must be a whole number'],
    },
    { title: 'a seed below 0', document: recipeOf([], { seed: -1 }), want: ['seed: is -1, and must be at least 0'] },
    {
      title: 'no phases',
      document: { ...recipeOf(), phases: [] },
      want: ['phases: has 0 entries, and must have at least 1'],
    },
    {
      title: 'phases by name',
      document: { ...recipeOf(), phases: {} },
      want: ['phases: is a group of fields, and must be a list'],
    },
    {
      title: 'a model that is both',
      document: recipeOf([], { model: { tiny: {}, path: '/models/x' } }),
      want: ['model.path: does not go with the other fields here'],
    },
    {
      title: 'a model that is a number',
      document: recipeOf([], { model: 20 }),
      want: ['model: is 20, and must be a group of fields'],
    },
    {
      title: 'a format that is not known',
      document: recipeOf([], { model: { path: '/models/x', format: 'mxpf4' } }),
      want: ['model.format: is "mxpf4"; did you mean "mxfp4"? One of: hf, mxfp4'],
    },
    {
      title: 'benchmarks as a list',
      document: recipeOf([], { benchmarks: [] }),
      want: ['benchmarks: is a list, and must be a group of fields'],
    },
    {
      title: 'a benchmark whose name is none',
      document: recipeOf([], { benchmarks: { My_Sums: addition } }),
      want: [`benchmarks.My_Sums: ${nameRule}`],
    },
    {
      title: 'a grader that is not known',
      document: recipeOf([], { benchmarks: { addition: { ...addition, grader: 'boxed-int' } } }),
      want: [
        'benchmarks.addition.grader: is "boxed-int"; did you mean "boxed-integer"? One of: boxed-integer, exact-match, numeric, math-verify',
      ],
    },
    {
      title: 'more samples than an evaluation takes',
      document: recipeOf([], { benchmarks: { addition: { ...addition, samples: 2000 } } }),
      want: ['benchmarks.addition.samples: is 2000, and must be at most 1024'],
    },
    {
      title: 'an end that is no end',
      document: recipeOf([], { onFailure: 'never' }),
      want: ['onFailure: is "never"; one of: hold, fail'],
    },
    {
      title: 'a budget of nothing',
      document: recipeOf([], { budgets: { gpuHours: 0 } }),
      want: ['budgets.gpuHours: is 0, and must be above 0'],
    },
    {
      title: 'a budget with a wrong name',
      document: recipeOf([], { budgets: { gpu_hour: 1 } }),
      want: [
        `budgets.gpu_hour: ${noField('did you mean "gpuHours"? Fields: attempts, gpuHours, evaluations, waitMinutes, startMinutes, stallMinutes')}`,
      ],
    },
  ])('$title', ({ document, want }) => {
    expect(answerTo(recipeSchema, document)).toEqual(want);
  });
});

describe('a phase', () => {
  test.each<{ title: string; document: unknown; want: string[] }>([
    {
      title: 'of a kind that is nearly right',
      document: recipeWithSft({ kind: 'sfft' }),
      want: [
        'phases.sft.kind: is "sfft"; did you mean "sft"? One of: base, sft, drgrpo, orpo, mxfp4-merge, sao, command',
      ],
    },
    {
      title: 'of no kind',
      document: recipeWithSft({ kind: undefined }),
      want: ['phases.sft.kind: is missing; one of: base, sft, drgrpo, orpo, mxfp4-merge, sao, command'],
    },
    {
      title: 'without a name is addressed by its place',
      document: recipeWithSft({ name: undefined }),
      want: ['phases.1.name: is missing (a text)'],
    },
    {
      title: 'without data',
      document: recipeWithSft({ data: undefined }),
      want: ['phases.sft.data: is missing (a group of fields)'],
    },
    {
      title: 'on data that is not known',
      document: recipeWithSft({ data: { tiny: 'solution' } }),
      want: ['phases.sft.data.tiny: is "solution"; did you mean "solutions"? One of: problems, solutions, held-out'],
    },
    {
      title: 'with the fields of another kind',
      document: params({ generations: 8 }),
      want: [
        `phases.sft.params.generations: ${noField('fields: steps, checkpointEvery, learningRate, warmupSteps, lora, batchSize, maxLength')}`,
      ],
    },
    {
      title: 'with several things wrong says all of them',
      document: params({ steps: '50', checkpointEvery: 1.5, learningRate: 2, batchSize: null, learning_rat: 1 }),
      want: [
        'phases.sft.params.steps: is "50", and must be a number',
        'phases.sft.params.checkpointEvery: is 1.5, and must be a whole number',
        'phases.sft.params.learningRate: is 2, and must be at most 1',
        'phases.sft.params.batchSize: is empty, and must be a number',
        `phases.sft.params.learning_rat: ${noField('did you mean "learningRate"? Fields: steps, checkpointEvery, learningRate, warmupSteps, lora, batchSize, maxLength')}`,
      ],
    },
    {
      title: 'with a learning rate of 0',
      document: params({ learningRate: 0 }),
      want: ['phases.sft.params.learningRate: is 0, and must be above 0'],
    },
    {
      title: 'with a LoRA on nothing',
      document: params({ lora: { targets: [] } }),
      want: ['phases.sft.params.lora.targets: has 0 entries, and must have at least 1'],
    },
    {
      title: 'with a LoRA on what is not there',
      document: params({ lora: { targets: ['q', 'expert'] } }),
      want: ['phases.sft.params.lora.targets.1: is "expert"; did you mean "experts"? One of: q, k, v, o, experts'],
    },
    {
      title: 'of drgrpo with one generation, which has no group',
      document: recipeOf([{ ...leastPhases.drgrpo, params: { ...leastPhases.drgrpo.params, generations: 1 } }]),
      want: ['phases.drgrpo.params.generations: is 1, and must be at least 2'],
    },
    {
      title: 'of drgrpo without rewards',
      document: recipeOf([{ ...leastPhases.drgrpo, params: { ...leastPhases.drgrpo.params, rewards: [] } }]),
      want: ['phases.drgrpo.params.rewards: has 0 entries, and must have at least 1'],
    },
    {
      title: 'of a merge with a way that is not known',
      document: recipeOf([{ ...leastPhases.bake, params: { experts: 'requantise' } }]),
      want: ['phases.bake.params.experts: is "requantise"; did you mean "requantize"? One of: refuse, requantize'],
    },
    {
      title: 'of sao with half a mask',
      document: recipeOf([{ ...leastPhases.sao, params: { ...leastPhases.sao.params, mask: { below: 0.3 } } }]),
      want: ['phases.sao.params.mask.above: is missing (a number)'],
    },
    {
      title: 'evaluated on nothing',
      document: recipeWithSft({ evaluate: { benchmarks: [] } }),
      want: ['phases.sft.evaluate.benchmarks: has 0 entries, and must have at least 1'],
    },
    {
      title: 'rejected in a way that is not known',
      document: recipeWithSft({ onReject: 'keepParent' }),
      want: ['phases.sft.onReject: is "keepParent"; did you mean "keep-parent"? One of: keep-parent, hold, fail'],
    },
    {
      title: 'with a bound whose name is nearly right',
      document: gate({ require: { notWorseThanParnt: { benchmark: 'addition', margin: 0.02 } } }),
      want: [
        'phases.sft.gate.0.require.notWorseThanParent: is missing (a group of fields)',
        `phases.sft.gate.0.require.notWorseThanParnt: ${noField('did you mean "notWorseThanParent"? Fields: notWorseThanParent, scoreAtLeast, runtimeAtMost')}`,
      ],
    },
    {
      title: 'with a tie rule whose name is nearly right',
      document: gate({ rank: { by: 'addition', tie: ['token'] } }),
      want: ['phases.sft.gate.0.rank.tie.0: is "token"; did you mean "tokens"? One of: tokens, runtime, earlier'],
    },
    {
      title: 'with a margin above everything',
      document: gate({ require: { notWorseThanParent: { benchmark: 'addition', margin: 2 } } }),
      want: ['phases.sft.gate.0.require.notWorseThanParent.margin: is 2, and must be at most 1'],
    },
  ])('$title', ({ document, want }) => {
    expect(answerTo(recipeSchema, document)).toEqual(want);
  });
});

const leastKubernetes = {
  name: 'x',
  backend: 'kubernetes',
  namespace: 'training',
  store: { claim: 'checkpoints', path: '/store' },
  jobs: {},
};

test.each<{ title: string; document: unknown; want: string[] }>([
  {
    title: 'a backend that is not there',
    document: { name: 'x', backend: 'locl' },
    want: ['backend: is "locl"; did you mean "local"? One of: local, kubernetes'],
  },
  {
    title: 'slots in words',
    document: { name: 'x', backend: 'local', slots: 'all' },
    want: ['slots: is "all", and must be a number or "auto"'],
  },
  {
    title: 'no time to save',
    document: { name: 'x', backend: 'local', graceSeconds: 0 },
    want: ['graceSeconds: is 0, and must be above 0'],
  },
  {
    title: 'a store without a path',
    document: { name: 'x', backend: 'local', store: { pth: '/data' } },
    want: ['store.pth: is no field here; did you mean "path"? Fields: path'],
  },
  {
    title: 'the address of a webhook itself, which is a secret and so is not repeated',
    document: { name: 'x', backend: 'local', notify: { slackWebhook: 'https://hooks.example/T0/B0/secret' } },
    want: ['notify.slackWebhook: is an address, and must be a group of fields'],
  },
  {
    title: 'a field of the other backend',
    document: { name: 'x', backend: 'local', namespace: 'training' },
    want: [`namespace: ${noField(`fields: ${fieldsOfLocal}`)}`],
  },
  {
    title: 'a store that is no path, a memory that is no quantity, and a job without a name that fits',
    document: {
      ...leastKubernetes,
      store: { claim: 'checkpoints', path: 'store/' },
      jobs: { default: { memory: '1600 GB' }, DrGRPO: {} },
    },
    want: [
      'store.path: must be an absolute path, without a slash at its end',
      'jobs.default.memory: must be a quantity as Kubernetes has them, such as 96, 0.5, 500m or 1600Gi',
      'jobs.DrGRPO: a name is lower-case letters, digits and single dashes, and begins with a letter',
    ],
  },
  {
    title: 'what a cluster needs left out',
    document: { name: 'x', backend: 'kubernetes' },
    want: [
      'namespace: is missing (a text)',
      'store: is missing (a group of fields)',
      'jobs: is missing (a group of fields)',
    ],
  },
])('a profile with $title', ({ document, want }) => {
  expect(answerTo(profileSchema, document)).toEqual(want);
});

test('a problem is named at the phase it is in, whatever stands before it', () => {
  const document = { ...recipeOf(), phases: [basePhase, leastPhases.sft, { ...leastPhases.orpo, gate: [{}] }] };
  expect(answerTo(recipeSchema, document)[0]).toMatch(/^phases\.orpo\.gate\.0\./);
});
