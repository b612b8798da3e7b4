/** Every default stands in the schema: what leaves it has every field, so that nobody after it has to know one. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { phaseSchema, profileSchema, recipeSchema } from '../../configs/schema.ts';
import { repository } from '../../scripts/repository.ts';
import { basePhase, foreign, leastPhases, recipeOf } from '../support/recipes.ts';

const { base: _, ...later } = { base: basePhase, ...leastPhases };
const recipe = recipeSchema.parse(recipeOf([...Object.values(later), foreign]));

test('of a recipe', () => {
  expect(recipe).toMatchObject({
    seed: 1,
    model: { tiny: { seed: 1 } },
    benchmarks: { addition: { version: 1, samples: 1, temperature: 1, maxTokens: 1024, data: { longShare: 1 } } },
    budgets: { attempts: 5, evaluations: 100, waitMinutes: 60 },
    onFailure: 'hold',
  });
});

test('of a phase', () => {
  for (const phase of recipe.phases) expect(phase).toMatchObject({ gate: [], onReject: 'keep-parent' });
});

test('of an evaluation and a rank', () => {
  const phase = phaseSchema.parse({
    ...leastPhases.sft,
    evaluate: { benchmarks: ['addition'] },
    gate: [{ rank: { by: 'addition' } }],
  });
  expect(phase.evaluate).toEqual({ benchmarks: ['addition'], seeds: 1, maxSeeds: 3 });
  expect(phase.gate).toEqual([{ rank: { by: 'addition', tie: ['tokens', 'earlier'] } }]);
});

test('of a profile', () => {
  const profile = profileSchema.parse({ name: 'x', backend: 'local' });
  expect(profile).toEqual({ name: 'x', backend: 'local', store: {}, slots: 'auto', graceSeconds: 20 });
});

test.each<{ kind: string; want: object }>([
  { kind: 'base', want: { steps: 0, checkpointEvery: 160, learningRate: 5e-3, batchSize: 64, noise: 0.03 } },
  { kind: 'sft', want: { warmupSteps: 3, lora: { rank: 8, alpha: 16, targets: ['q', 'k', 'v', 'o'] }, maxLength: 64 } },
  {
    kind: 'drgrpo',
    want: { warmupSteps: 3, beta: 1e-3, scaleRewards: false, temperature: 1, maxCompletionTokens: 512 },
  },
  {
    kind: 'orpo',
    want: {
      warmupSteps: 3,
      beta: 0.1,
      maxLength: 64,
      pairs: { from: 'policy', samplesPerPrompt: 8, completions: 'whole' },
    },
  },
  { kind: 'mxfp4-merge', want: { experts: 'refuse' } },
  {
    kind: 'sao',
    want: {
      queueBatches: 2,
      criticWarmupSteps: 10,
      criticUpdates: 2,
      mask: { below: 0.3, above: 5 },
      lambdaAlpha: 1.5,
      temperature: 1,
      maxCompletionTokens: 512,
    },
  },
  {
    kind: 'command',
    want: {
      env: {},
      workingDirectory: '{output}',
      processes: 1,
      checkpoints: { format: 'peft', folder: '.' },
      stallMinutes: 60,
    },
  },
])('of the params of $kind', ({ kind, want }) => {
  expect(recipe.phases.find((phase) => phase.kind === kind)?.params).toMatchObject(want);
});

/** What may stay absent, because its absence says something. */
const mayBeAbsent = ['image', 'roles', 'rewards.0.until', 'rewards.0.weights.boxed', 'rewards.0.weights.length'];

test('the least of each kind comes out with every field of its params', () => {
  const kinds = phaseSchema.options.map((option) => {
    const { kind, params } = option.shape;
    const least = recipe.phases.find((phase) => phase.kind === kind.value);
    const schema = z.toJSONSchema(params, { io: 'output' });
    return { kind: kind.value, absent: absentFields(schema, least?.params, '') };
  });
  expect(kinds.map(({ kind }) => kind).sort()).toEqual(recipe.phases.map(({ kind }) => kind).sort());
  expect(kinds.flatMap(({ absent }) => absent).filter((field) => !mayBeAbsent.includes(field))).toEqual([]);
});

function absentFields(schema: z.core.JSONSchema.BaseSchema, value: unknown, above: string): string[] {
  if (value === undefined) return [above];
  const at = (key: string) => (above === '' ? key : `${above}.${key}`);
  const fields = Object.entries(schema.properties ?? {}).flatMap(([key, below]) =>
    typeof below === 'boolean' ? [] : absentFields(below, (value as Record<string, unknown>)[key], at(key)),
  );
  const { items } = schema;
  const entries =
    typeof items === 'object' && !Array.isArray(items)
      ? (value as unknown[]).flatMap((item, index) => absentFields(items, item, at(String(index))))
      : [];
  return [...fields, ...entries];
}

/** Fields of a request that no recipe sets, `rows` (all there are), and the adapter of a kind that has none of its own to name. */
const ownFallbacks = ['pipeline', 'phase', 'seed', 'targetStep', 'digest', 'rows', 'rank', 'alpha'];

test('a trainer knows no default of a recipe by itself, so that none is said twice', async () => {
  const fallbacks = await fallbacksOfTrainers();
  expect(fallbacks.length).toBeGreaterThan(5);
  expect(fallbacks.filter(({ field }) => !ownFallbacks.includes(field))).toEqual([]);
  const known = new Map<string, unknown[]>();
  collectDefaults(z.toJSONSchema(recipeSchema, { io: 'input' }), known);
  const adapter = fallbacks.filter(({ field }) => field === 'rank' || field === 'alpha');
  expect(adapter.filter(({ field, value }) => !(known.get(field) ?? []).includes(value))).toEqual([]);
});

/** Every default of the schema, by the name of its field. */
function collectDefaults(schema: z.core.JSONSchema.BaseSchema, into: Map<string, unknown[]>): void {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [] } = schema;
  for (const [field, below] of Object.entries(properties)) {
    if (typeof below === 'boolean') continue;
    const inside: [string, unknown][] =
      typeof below.default === 'object' ? Object.entries(below.default as object) : [];
    const all: [string, unknown][] = [[field, below.default], ...inside];
    for (const [name, value] of all) into.set(name, [...(into.get(name) ?? []), value]);
    collectDefaults(below, into);
  }
  for (const below of [items, additionalProperties, ...anyOf, ...oneOf].flat()) {
    if (typeof below === 'object') collectDefaults(below, into);
  }
}

/** `params.integer("name", 3)` and its like, with single values. */
async function fallbacksOfTrainers(): Promise<{ readonly field: string; readonly value: unknown }[]> {
  const folder = join(repository, 'trainers', 'temper_trainers');
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.py'));
  const calls = /\.(?:integer|number|flag|text|choice)\("(\w+)",(?: \([^)]*\),)? ("[^"]*"|[\d.e-]+|True|False)\)/g;
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.flatMap((text) =>
    [...text.matchAll(calls)].map(([, field = '', value = '']) => ({
      field,
      value: JSON.parse(value.replace('True', 'true').replace('False', 'false').replace(/\.0$/, '')) as unknown,
    })),
  );
}
