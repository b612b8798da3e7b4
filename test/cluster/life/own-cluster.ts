/**
 * Clusters for as long as a program needs them: brought up, used, and taken down whatever happens to the program, a SIGKILL included.
 *
 * Does not cover clusters that are brought up by hand (../cluster.ts).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { readPython } from '../../../scripts/python.ts';
import { buildContext } from '../machine/kept-build.ts';
import type { BuildContext } from '../machine/kept-build.ts';
import type { SlotPlaces } from '../machine/places.ts';
import { bringUp } from './bring-up.ts';
import { stopOnSignals } from './interruption.ts';
import { markOfProcess } from './state.ts';

export interface OwnClusterOptions {
  readonly say: (line: string) => void;
  /** Added to the API server's own. @default none */
  readonly apiServerFlags?: (places: SlotPlaces) => readonly string[];
}

interface Own<Places> {
  readonly places: Places;
  readonly context: BuildContext;
  /** Aborted by a signal that asks this program to stop; its reason is an Interruption. */
  readonly stop: AbortSignal;
}

export type OwnCluster = Own<SlotPlaces>;

/** Rejects with an Interruption when a signal came, with a SetupProblem when this machine lacks something, with what `use` rejects with. */
export function withOwnCluster<T>(options: OwnClusterOptions, use: (cluster: OwnCluster) => Promise<T>): Promise<T> {
  return withOwnClusters(1, options, ({ places: [one], ...own }) => use({ places: one as SlotPlaces, ...own }));
}

/** So many of them, each brought up after the other. */
export async function withOwnClusters<T>(
  count: number,
  options: OwnClusterOptions,
  use: (clusters: Own<readonly SlotPlaces[]>) => Promise<T>,
): Promise<T> {
  const { say, ...rest } = options;
  const self = markOfProcess(process.pid);
  if (self === undefined) throw new Error('this process cannot be found in /proc');
  const context = buildContext(process.env, say);
  const stop = stopOnSignals(context);
  const guardian = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      join(import.meta.dirname, 'guardian-process.ts'),
      String(self.pid),
      self.started,
    ],
    { detached: true, stdio: ['pipe', 'ignore', 'inherit'] },
  );
  await once(guardian, 'spawn');
  try {
    const places: SlotPlaces[] = [];
    while (places.length < count)
      places.push(await bringUp({ context, python: readPython(), owner: self, self, stop, ...rest }));
    return await use({ places, context, stop });
  } catch (error) {
    // What was under way fails because it was stopped, not the other way round.
    throw stop.aborted ? stop.reason : error;
  } finally {
    guardian.stdin.end();
    await once(guardian, 'exit');
  }
}
