/**
 * docs/reference/recipe.md, profile.md and schedule.md, from the schema alone.
 *
 * Fields that are the same in several kinds of phases stand once. Does not cover the rows (field-rows.ts).
 */
import { z } from 'zod';
import { scheduleSchema } from '../../configs/schema-schedule.ts';
import { profileSchema, recipeSchema } from '../../configs/schema.ts';
import { fieldTable, type Shape } from './field-rows.ts';

export const generatedNote = '<!-- Written by `npm run docs`: change what it is written from, not this page. -->';

export function recipePage(): string {
  const recipe = shapeOf(recipeSchema);
  const kinds = recipe.properties?.['phases']?.items?.oneOf ?? [];
  return page([
    generatedNote,
    '# Recipe',
    'What is trained. A recipe is a YAML file (or a JSON document in the start form); `temper validate` names everything that is wrong in it. ' +
      'Which fields go together is checked too, and told with the line. `--set` changes a field by its path, with a phase by its name: ' +
      '`phases.sft.params.learningRate=1e-4`. The same as JSON Schema, for editors: [recipe.schema.json](../../configs/recipe.schema.json). ' +
      'An example with every kind: [tiny.yaml](../../configs/recipes/tiny.yaml). Published pipelines at full size: ' +
      '[four-phase-120b.yaml](../../configs/recipes/four-phase-120b.yaml), [behavioural-sft-120b.yaml](../../configs/recipes/behavioural-sft-120b.yaml), ' +
      '[megatron-sft-grpo.yaml](../../configs/recipes/megatron-sft-grpo.yaml), [sao-30b.yaml](../../configs/recipes/sao-30b.yaml).',
    'A range is part of the type; a field without a default that is not required may be left out.',
    fieldTable(recipe, '', ['phases[]']),
    '## Fields of phases',
    ...sharedFields(kinds),
    ...kinds.flatMap((kind) => [
      `## Kind \`${kindOf(kind)}\``,
      kind.description ?? '',
      fieldTable(ownFields(kind, kinds)),
    ]),
  ]);
}

export function profilePage(): string {
  const { oneOf: backends = [] } = shapeOf(profileSchema);
  return page([
    generatedNote,
    '# Profile',
    'Where jobs run. A profile is never part of what is trained: the same recipe on another profile is the same work. ' +
      'As JSON Schema: [profile.schema.json](../../configs/profile.schema.json). ' +
      'Those that come with Temper: [local.yaml](../../configs/profiles/local.yaml), [cluster.yaml](../../configs/profiles/cluster.yaml), ' +
      '[h100.yaml](../../configs/profiles/h100.yaml), and one for each of the published pipelines, by its name.',
    ...backends.flatMap((backend) => [
      `## Backend \`${String(backend.properties?.['backend']?.const)}\``,
      fieldTable(backend),
    ]),
  ]);
}

export function schedulePage(): string {
  return page([
    generatedNote,
    '# Schedule',
    'When a sweep runs and what it evaluates: [Nightly sweeps](../how-to/nightly-sweeps.md). `temper validate` names everything that is wrong in ' +
      'such a file, `temper schedule apply` makes the schedule. As JSON Schema: [schedule.schema.json](../../configs/schedule.schema.json). ' +
      'An example: [nightly-eval.yaml](../../configs/schedules/nightly-eval.yaml).',
    fieldTable(shapeOf(scheduleSchema)),
  ]);
}

export const page = (parts: readonly string[]): string => `${parts.join('\n\n')}\n`;

function shapeOf(schema: z.ZodType): Shape {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Shape;
}

const kindOf = ({ properties }: Shape): string => String(properties?.['kind']?.const);

/** One table for what every kind has, and one for each field that some have. */
function sharedFields(kinds: readonly Shape[]): string[] {
  const [first] = kinds;
  const ofEvery = fieldTable(subset(first, (key) => kindsWith(key, first, kinds).length === kinds.length));
  const keys = new Set(kinds.flatMap(({ properties = {} }) => Object.keys(properties)));
  const ofSome = [...keys].flatMap((key) => {
    const owner = kinds.find(({ properties }) => properties?.[key] !== undefined);
    const having = kindsWith(key, owner, kinds);
    if (having.length < 2 || having.length === kinds.length) return [];
    const names = having.map((kind) => `\`${kindOf(kind)}\``).join(', ');
    return [`Phases of the kinds ${names} also have:`, fieldTable(subset(owner, (name) => name === key))];
  });
  return ['Phases of every kind have:', ofEvery, ...ofSome];
}

function ownFields(kind: Shape, kinds: readonly Shape[]): Shape {
  return subset(kind, (key) => kindsWith(key, kind, kinds).length === 1);
}

/** The kinds whose field of this name is the same as that of `of`. */
function kindsWith(key: string, of: Shape | undefined, kinds: readonly Shape[]): Shape[] {
  const text = JSON.stringify(of?.properties?.[key]);
  return kinds.filter(({ properties }) => JSON.stringify(properties?.[key]) === text);
}

function subset(group: Shape | undefined, keeps: (key: string) => boolean): Shape {
  const properties = Object.entries(group?.properties ?? {}).filter(([key]) => keeps(key));
  return { ...group, properties: Object.fromEntries(properties) };
}
