/**
 * What this machine lacks for jobs that run on it as processes: the trainers' Python, the Temporal CLI, slots, the store and its room.
 *
 * Does not cover what set-up fetches (it says itself what is missing), or what a Temporal server lacks (doctor-temporal.ts).
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Profile, Recipe } from '../configs/schema.ts';
import { TemperError } from '../decisions/errors.ts';
import { fine, type HealthCheck, missing } from '../decisions/health-check.ts';
import { bytesText } from '../decisions/prune-sentences.ts';
import { slotsOfMachine } from '../local/machine-slots.ts';
import { checkStore } from '../store/store-check.ts';
import { mustBeProgram } from './program-check.ts';
import type { Settings } from './settings.ts';
import { storeDirectoryOf } from './store-directory.ts';

type LocalProfile = Extract<Profile, { backend: 'local' }>;

/** Packages that the built-in trainers load. */
const packages = ['torch', 'transformers', 'trl', 'peft', 'safetensors'];
const askSeconds = 60;

export async function examineMachine(
  profile: LocalProfile,
  settings: Settings,
  recipe: Recipe | null,
): Promise<readonly HealthCheck[]> {
  return [
    await judgeTrainer(profile, settings),
    program('temporal cli', settings.temporalCli, 'TEMPORAL_CLI'),
    ...(await judgeSlots(profile, recipe)),
    await judgeStore(storeDirectoryOf(profile, settings)),
  ];
}

async function judgeTrainer({ trainer }: LocalProfile, { python }: Settings): Promise<HealthCheck> {
  const [own] = trainer ?? [];
  if (own !== undefined) return fine('trainer', `${own}, as the profile has it`);
  const found = program('trainers', python, 'TEMPER_PYTHON');
  if (found.verdict !== 'ok') return found;
  const lacking = await packagesLacking(python);
  if (lacking.length === 0) return fine('trainers', `${python} has ${packages.join(', ')}`);
  return missing('trainers', `${python} lacks ${lacking.join(', ')}`, { command: 'npm run setup' });
}

async function packagesLacking(python: string): Promise<readonly string[]> {
  const question = 'import importlib.util, sys; print(*(n for n in sys.argv[1:] if not importlib.util.find_spec(n)))';
  const { stdout } = await promisify(execFile)(python, ['-c', question, ...packages], { timeout: askSeconds * 1000 });
  return stdout.split(/\s+/).filter((name) => name !== '');
}

function program(name: string, path: string, variable: string): HealthCheck {
  return orMissing(name, () => {
    mustBeProgram(path, variable);
    return fine(name, path);
  });
}

/** Only a command of one's own runs as several processes here. */
async function judgeSlots(profile: LocalProfile, recipe: Recipe | null): Promise<HealthCheck[]> {
  const { total, devices } = await slotsOfMachine(profile.slots);
  const what = `${String(total)} ${devices === null ? 'without GPUs' : `on ${String(devices.length)} GPUs`}`;
  const tooBig = (recipe?.phases ?? []).filter((phase) => phase.kind === 'command' && phase.params.processes > total);
  if (tooBig.length === 0) return [fine('slots', what)];
  return tooBig.map(({ name }) =>
    missing('slots', `phase ${name} runs more processes than this machine has slots (${what})`, {
      change: `lower \`phases.${name}.params.processes\` of the recipe, or run it on another profile`,
    }),
  );
}

async function judgeStore(directory: string): Promise<HealthCheck> {
  try {
    const { freeBytes } = await checkStore(directory);
    return fine('store', `${directory} is writable, ${bytesText(freeBytes)} free`);
  } catch (error) {
    return lackOf('store', error);
  }
}

function orMissing(name: string, check: () => HealthCheck): HealthCheck {
  try {
    return check();
  } catch (error) {
    return lackOf(name, error);
  }
}

/** A sentence of Temper's that says what mends it, after its first colon. */
function lackOf(name: string, error: unknown): HealthCheck {
  if (!(error instanceof TemperError)) throw error;
  const [what = '', ...rest] = error.message.split(/: |; /);
  return missing(name, what, { change: rest.join(': ') });
}
