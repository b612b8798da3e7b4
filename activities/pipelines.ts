/**
 * The start and the end of a pipeline: its recipe resolved, its run in the ledger.
 *
 * Covers what is checked before anything starts. Does not cover phases.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { pipeline as stream } from 'node:stream/promises';
import type { Recipe } from '../configs/schema.ts';
import { recipeWarnings } from '../configs/recipe-warnings.ts';
import { TemperError } from '../decisions/errors.ts';
import { canonicalJson } from '../decisions/identity.ts';
import { evaluatedOf } from '../decisions/outside-benchmark.ts';
import type { PipelineInput, ResolvedPipeline } from '../workflows/contract.ts';
import { refuseChangedBenchmarks } from './benchmark-definitions.ts';
import { filesNamedBy } from './command-request.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { namedStarts } from './named-starts.ts';

export interface RunIdentity {
  readonly pipelineId: string;
  readonly runId: string;
}

export interface PipelineActivities {
  /** What runs, with every default filled in. Throws `invalid-input`, `not-found`, `store-unusable`, `checkpoint-damaged`. */
  resolvePipeline(input: PipelineInput): Promise<ResolvedPipeline>;
  /** `runId`: by which the ledger knows the run from now on, also after a reset. */
  openPipeline(
    input: RunIdentity & { readonly resolved: ResolvedPipeline },
  ): Promise<{ readonly searchAttributes: boolean; readonly runId?: string }>;
  closePipeline(input: RunIdentity & { readonly state: 'completed' | 'failed' | 'cancelled' }): Promise<void>;
}

export function pipelineActivities(dependencies: ActivityDependencies): PipelineActivities {
  const { ledger } = dependencies;
  return {
    async resolvePipeline(input) {
      const named = input.recipe ?? dependencies.defaultRecipe;
      if (named === null)
        throw new TemperError(
          'invalid-input',
          'recipe: is missing; this worker has no default recipe. Input: {"recipe": "<name>"}',
        );
      const place = dependencies.placeOf(input.profile);
      const { value: recipe, source } = await dependencies.readRecipe(named, input.set ?? {});
      await place.store.check();
      await checkModel(recipe);
      const dataDigests = await digestsOfData(recipe, place.home);
      await refuseChangedBenchmarks(ledger, recipe, dataDigests);
      const starts = await namedStarts({ ledger, store: place.store }, recipe);
      const warnings = recipeWarnings(recipe, place.profile);
      return {
        recipe,
        profile: place.profile,
        source,
        changed: Object.keys(input.set ?? {}),
        dataDigests,
        ...(Object.keys(starts).length > 0 ? { starts } : {}),
        ...(warnings.length > 0 ? { warnings } : {}),
        throttleSeconds: dependencies.throttleSeconds,
      };
    },
    async openPipeline({ pipelineId, runId, resolved }) {
      const identity = createHash('sha256').update(canonicalJson(resolved.recipe)).digest('hex');
      const at = dependencies.now().toISOString();
      await ledger.openPipeline({
        workflowId: pipelineId,
        runId,
        recipe: resolved.recipe.name,
        identity,
        resolved,
        at,
      });
      return { searchAttributes: await dependencies.searchAttributesKnown(), runId };
    },
    async closePipeline({ runId, state }) {
      await ledger.recordPipelineEnd({ runId, outcome: state, at: dependencies.now().toISOString() });
    },
  };
}

/**
 * SHA-256 of each JSONL file that the recipe names, of each file that a command names, and of names, sizes and times of the files of its
 * model's folder: what was changed in place is something else. Throws `not-found` with the field.
 */
export async function digestsOfData(recipe: Recipe, home: string): Promise<Record<string, string>> {
  const named = [
    ...recipe.phases.flatMap((phase) =>
      'data' in phase ? [{ field: `phases.${phase.name}.data.jsonl`, data: phase.data }] : [],
    ),
    ...Object.entries(evaluatedOf(recipe.benchmarks)).map(([name, { data }]) => ({
      field: `benchmarks.${name}.data.jsonl`,
      data,
    })),
  ];
  const digests: Record<string, string> = {};
  if ('path' in recipe.model) digests[recipe.model.path] = await digestOfFolder('model.path', recipe.model.path);
  for (const { field, data } of named) {
    if ('jsonl' in data) digests[data.jsonl] ??= await digestOfFile(field, data.jsonl);
  }
  for (const phase of recipe.phases) {
    if (phase.kind !== 'command') continue;
    for (const [named, path] of await filesNamedBy(phase, home))
      digests[named] ??= await digestOfFile(`phases.${phase.name}.params.command`, path);
  }
  return digests;
}

/** The model's folder is there. Throws `not-found` or `invalid-input` with the field. */
async function checkModel({ model }: Recipe): Promise<void> {
  if (!('path' in model)) return;
  mustBeAbsolute('model.path', model.path);
  const file = join(model.path, 'config.json');
  await access(file).catch((cause: unknown) => {
    throw new TemperError('not-found', `model.path: ${file} cannot be read by the worker`, { cause });
  });
}

function mustBeAbsolute(field: string, path: string): void {
  if (isAbsolute(path)) return;
  throw new TemperError('invalid-input', `${field}: is "${path}", and trainers run elsewhere: name an absolute path`);
}

/** Reads no weights: a base that is named again costs little, and its checkpoint's own seal says whether anything changed. */
async function digestOfFolder(field: string, path: string): Promise<string> {
  mustBeAbsolute(field, path);
  const hash = createHash('sha256');
  try {
    for (const name of (await readdir(path)).sort()) {
      const entry = await stat(join(path, name));
      const { size, mtimeMs } = entry;
      if (entry.isFile()) hash.update(`${JSON.stringify(name)} ${String(size)} ${String(mtimeMs)}\n`);
    }
  } catch (cause) {
    throw unreadable(field, path, cause);
  }
  return hash.digest('hex');
}

function unreadable(field: string, path: string, cause: unknown): TemperError {
  const why = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
  return new TemperError('not-found', `${field}: ${path} cannot be read by the worker (${why})`, { cause });
}

async function digestOfFile(field: string, path: string): Promise<string> {
  mustBeAbsolute(field, path);
  const hash = createHash('sha256');
  try {
    await stream(createReadStream(path), hash);
  } catch (cause) {
    throw unreadable(field, path, cause);
  }
  return hash.digest('hex');
}
