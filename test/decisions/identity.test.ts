import { type Phase, phaseSchema, recipeSchema } from '../../configs/schema.ts';
import { canonicalJson, differingField, type IdentityParts, identityText } from '../../decisions/identity.ts';
import { refusalOf } from '../support/builders.ts';
import { foreign } from '../support/recipes.ts';

const benchmarks = {
  addition: {
    data: { tiny: 'held-out' as const, longShare: 1 },
    version: 1,
    grader: 'boxed-integer' as const,
    samples: 8,
    temperature: 1,
    maxTokens: 24,
  },
  other: {
    data: { tiny: 'problems' as const, longShare: 1 },
    version: 1,
    grader: 'exact-match' as const,
    samples: 1,
    temperature: 0,
    maxTokens: 24,
  },
};

function phase(change: Record<string, unknown> = {}): Phase {
  const recipe = recipeSchema.parse({
    name: 'demo',
    model: { tiny: {} },
    benchmarks,
    phases: [
      { name: 'base', kind: 'base', params: {} },
      {
        name: 'sft',
        kind: 'sft',
        data: { tiny: 'solutions' },
        params: { steps: 50, checkpointEvery: 10, learningRate: 0.005, batchSize: 32 },
        evaluate: { benchmarks: ['addition'] },
        gate: [{ rank: { by: 'addition' } }],
        ...change,
      },
    ],
  });
  const sft = recipe.phases[1];
  if (sft === undefined) throw new Error('no phase');
  return sft;
}

const parts = (change: Partial<IdentityParts> = {}): IdentityParts => ({
  phase: phase(),
  model: { tiny: { seed: 1 } },
  seed: 1,
  benchmarks,
  dataDigest: null,
  startDigest: 'start',
  ...change,
});
const params = { steps: 50, checkpointEvery: 10, learningRate: 0.005, batchSize: 32 };

test.each<{ title: string; change: Partial<IdentityParts>; path: string }>([
  {
    title: 'the learning rate',
    change: { phase: phase({ params: { ...params, learningRate: 1e-4 } }) },
    path: 'params.learningRate',
  },
  {
    title: 'a parameter inside another',
    change: { phase: phase({ params: { ...params, lora: { rank: 16 } } }) },
    path: 'params.lora.rank',
  },
  {
    title: 'the data',
    change: { phase: phase({ data: { tiny: 'solutions', rows: 9 } }) },
    path: 'data.rows',
  },
  { title: 'the content of the data', change: { dataDigest: 'other' }, path: 'data.digest' },
  { title: 'the seed', change: { seed: 2 }, path: 'seed' },
  { title: 'the model', change: { model: { tiny: { seed: 2 } } }, path: 'model.tiny.seed' },
  { title: 'the kind of model', change: { model: { path: '/m', format: 'hf' } }, path: 'model.format' },
  {
    title: 'what is evaluated',
    change: { phase: phase({ evaluate: { benchmarks: ['addition'], seeds: 2 } }) },
    path: 'evaluate.seeds',
  },
  {
    title: 'the gate',
    change: { phase: phase({ gate: [{ rank: { by: 'addition', tie: ['earlier'] } }] }) },
    path: 'gate.0.rank.tie.0',
  },
  { title: 'a gate that is gone', change: { phase: phase({ gate: [] }) }, path: 'gate.0' },
  { title: 'what a collapse means', change: { phase: { ...phase(), onCollapse: 'stop' } }, path: 'onCollapse' },
  { title: 'what a rejection means', change: { phase: phase({ onReject: 'fail' }) }, path: 'onReject' },
  {
    title: 'a benchmark that it uses',
    change: { benchmarks: { ...benchmarks, addition: { ...benchmarks.addition, version: 2 } } },
    path: 'benchmarks.addition.version',
  },
  { title: 'the start', change: { startDigest: 'another' }, path: 'start' },
])('$title makes it other work, and is named', ({ change, path }) => {
  expect(differingField(identityText(parts()), identityText(parts(change)))?.path).toBe(path);
});

test.each<{ title: string; change: Partial<IdentityParts> }>([
  { title: 'its name', change: { phase: phase({ name: 'warm-up' }) } },
  { title: 'a collapse that is told', change: { phase: { ...phase(), onCollapse: undefined } as unknown as Phase } },
  { title: 'how its parent is named', change: { phase: phase({ from: 'base' }) } },
  {
    title: 'a benchmark that it does not use',
    change: { benchmarks: { ...benchmarks, other: { ...benchmarks.other, version: 9 } } },
  },
  { title: 'a default that is written out', change: { phase: phase({ onReject: 'keep-parent' }) } },
  {
    title: 'the order of fields',
    change: { phase: phase({ params: { batchSize: 32, learningRate: 0.005, checkpointEvery: 10, steps: 50 } }) },
  },
])('$title does not change what it is', ({ change }) => {
  expect(identityText(parts(change))).toBe(identityText(parts()));
  expect(differingField(identityText(parts()), identityText(parts(change)))).toBeNull();
});

test('a difference carries both values', () => {
  expect(differingField(identityText(parts({ seed: 1 })), identityText(parts({ seed: 2 })))).toEqual({
    path: 'seed',
    before: 1,
    after: 2,
  });
});

test('canonical JSON sorts keys, drops what is undefined, and knows one zero', () => {
  expect(canonicalJson({ b: [1, { d: -0, c: undefined }], a: 'é"' })).toBe('{"a":"é\\"","b":[1,{"d":0}]}');
});

test.each([NaN, Infinity, 1n, () => 1])('canonical JSON refuses %p', (value) => {
  expect(refusalOf(() => canonicalJson({ value }))).toBe('invalid-input');
});

describe('a command', () => {
  const command = (change: object = {}) => phaseSchema.parse({ ...foreign, params: { ...foreign.params, ...change } });
  const text = (change: object, fileDigests: Readonly<Record<string, string>> = {}) =>
    identityText({
      phase: command(change),
      model: { tiny: { seed: 1 } },
      seed: 1,
      benchmarks,
      dataDigest: null,
      fileDigests,
      startDigest: 'x',
    });

  test.each([
    { title: 'its arguments', change: { command: ['python', 'other.py'] }, want: 'params.command.1' },
    { title: 'its environment', change: { env: { A: '1' } }, want: 'params.env.A' },
    { title: 'its image', change: { image: 'trainer:2' }, want: 'params.image' },
    { title: 'its processes', change: { processes: 2 }, want: 'params.processes' },
    { title: 'where it begins is no part of it', change: { workingDirectory: '/elsewhere' }, want: undefined },
    { title: 'how its log is read is no part of it', change: { progress: 'none', stallMinutes: 5 }, want: undefined },
  ])('$title', ({ change, want }) => {
    expect(differingField(text({}), text(change))?.path).toBe(want);
  });

  test('the content of the files that it names is part of it', () => {
    expect(differingField(text({}, { 'train.py': 'one' }), text({}, { 'train.py': 'two' }))?.path).toBe(
      'files.train.py',
    );
  });
});
