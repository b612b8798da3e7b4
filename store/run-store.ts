/**
 * The store as activities see it: run directories, their checkpoints, and what trainers leave in them.
 *
 * Covers one store, as this worker sees it. Does not cover the ledger, or watching live directories (scanner.ts).
 */
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { TemperError } from '../decisions/errors.ts';
import { logName } from '../decisions/log-name.ts';
import type { HungProcess, ObservedRun, Progress, TrainerResult } from '../decisions/failure.ts';
import type { JobEvidence } from '../decisions/job-evidence.ts';
import type { DirectoryIs } from '../decisions/job-over.ts';
import { longestSaveOf } from '../decisions/save-time.ts';
import { inspectCheckpoint, listCheckpoints, type CheckpointOnStore } from './checkpoints.ts';
import { deleteCheckpoint, emptyTrash, freedBytesOf, leftoversIn } from './delete-checkpoint.ts';
import { foreignCheckpoints } from './foreign/foreign-checkpoints.ts';
import { foreignLog } from './foreign/foreign-log.ts';
import { observeRun } from './foreign/observe.ts';
import { outputFolder, readForeignReading } from './foreign/reading.ts';
import type { Inspection } from './formats/reader.ts';
import { readJobEvidence } from './job-evidence.ts';
import { readLogWindow, type LogWindow, type LogWish } from './log-window.ts';
import { openOwnLines, type OwnLines, readOwnTextIfThere } from './own-file.ts';
import { lastProgressIn, tailProgress } from './progress.ts';
import { readResult } from './result.ts';
import {
  createRunDirectory,
  ownerOfRun,
  runDirectory,
  runFiles,
  type RunPlace,
  sealingDirectory,
  writeRequest,
} from './run-directory.ts';
import { readStacks } from './stacks.ts';
import { checkStore, freeBytesOf } from './store-check.ts';

/** What the lines of an attempt say by now. */
export interface ProgressSoFar {
  readonly last: Progress | null;
  /** Lowest step with a number that must be finite and was not. */
  readonly firstNotFinite: number | null;
  /** Null where no save has ended, or where none is told: a foreign trainer's log says nothing of it. */
  readonly longestSaveSeconds: number | null;
}

export interface RunStore {
  /** Throws `store-unusable` with one line that names the fix. */
  check(): Promise<void>;
  /** Creates the directory for this owner, or finds it again; returns its path. Throws `ledger-conflict` when it is somebody else's. */
  openRun(place: RunPlace, owner: string): Promise<string>;
  /** The owner that `openRun` was called with; null for a directory of somebody else's. */
  ownerOf(directory: string): Promise<string | null>;
  /** Creates the folder that a foreign trainer writes to; returns its path. */
  openOutput(directory: string): Promise<string>;
  /** The directory of a job that seals a checkpoint, made, or found when the same owner asks again. Throws `ledger-conflict` for another's. */
  openSealing(checkpointPath: string, number: number, owner: string): Promise<string>;
  requestPath(directory: string): string;
  writeRequest(directory: string, request: unknown): Promise<void>;
  /**
   * Torn ones included, by step. Those that a foreign trainer has finished are taken into Temper's own folder first; in one that is
   * `finished`, what has no mark of its own gets none any more.
   * @default the directory is written still
   */
  checkpoints(directory: string, is?: DirectoryIs): Promise<readonly CheckpointOnStore[]>;
  /** What a foreign trainer's attempt with these checkpoints shows at its end; null for a built-in one, whose result speaks. */
  observed(directory: string, checkpoints: readonly CheckpointOnStore[]): Promise<ObservedRun | null>;
  /** Whether a path lies in this store. */
  holds(path: string): boolean;
  /** Null when nothing is there. */
  inspect(checkpointPath: string): Promise<Inspection | null>;
  /** Bytes that deleting a checkpoint gives back. */
  freedBytes(checkpointPath: string): Promise<number>;
  /** Deletes a checkpoint of a run directory with its seal. Throws `not-found` for any other place. */
  deleteCheckpoint(checkpointPath: string): Promise<void>;
  /** Folders that killed deletions, and writers of an attempt that is over, left among the checkpoints. */
  leftovers(directory: string, attemptIsOver: boolean): Promise<readonly string[]>;
  /** Deletes a leftover. */
  deleteLeftover(path: string): Promise<void>;
  lastProgress(directory: string): Promise<Progress | null>;
  progress(directory: string): Promise<ProgressSoFar>;
  /** All that a built-in trainer told of its steps; nothing of a foreign one. */
  progressLines(directory: string): Promise<readonly Progress[]>;
  /** Bytes that can still be written. */
  freeBytes(): Promise<number>;
  /** Null when absent or unreadable: it proves nothing then. */
  result(directory: string): Promise<TrainerResult | null>;
  /** Where its processes hung that did not stop when they were told to; empty where nothing says so. */
  stacks(directory: string): Promise<readonly HungProcess[]>;
  /** What its cluster said of it; null where none was kept, or it cannot be read. */
  jobEvidence(directory: string): Promise<JobEvidence | null>;
  /** A part of the job's log, in whole lines; null when there is none yet. */
  log(directory: string, wish: LogWish & { readonly rank?: number }): Promise<LogWindow | null>;
  /** The text of a file below a run directory; null when it is not there. */
  text(directory: string, name: string): Promise<string | null>;
  /** The lines of a file below a run directory that has at most `mostBytes`. */
  lines(directory: string, name: string, mostBytes: number): Promise<OwnLines>;
}

/** What a trainer keeps of an evaluation on its way, a line for each problem. */
const mostBytesOfText = 256 * 1024 * 1024;

export function createRunStore(root: string): RunStore {
  return {
    async check() {
      await checkStore(root);
    },
    async openRun(place, owner) {
      return (await createRunDirectory(runDirectory(root, place), owner)).directory;
    },
    ownerOf: (directory) => ownerOfRun(directory),
    async openOutput(directory) {
      await mkdir(outputFolder(directory), { recursive: true });
      return outputFolder(directory);
    },
    async openSealing(checkpointPath, number, owner) {
      return (await createRunDirectory(sealingDirectory(checkpointPath, number), owner)).directory;
    },
    requestPath: (directory) => runFiles(directory).request,
    writeRequest: (directory, request) => writeRequest(runFiles(directory), request),
    async checkpoints(directory, is) {
      const reading = await readForeignReading(directory);
      return reading === null ? await listCheckpoints(directory) : await foreignCheckpoints(directory, reading, is);
    },
    async observed(directory, checkpoints) {
      const reading = await readForeignReading(directory);
      return reading === null ? null : await observeRun(directory, reading, checkpoints);
    },
    holds: (path) => !relative(root, path).startsWith('..'),
    inspect: (checkpointPath) => inspectCheckpoint(checkpointPath),
    freedBytes: (checkpointPath) => freedBytesOf(checkpointPath),
    async deleteCheckpoint(checkpointPath) {
      mustLieInARun(root, checkpointPath);
      await deleteCheckpoint(checkpointPath);
    },
    leftovers: (directory, attemptIsOver) => leftoversIn(runFiles(directory).checkpoints, attemptIsOver),
    async deleteLeftover(path) {
      mustLieInARun(root, path);
      await emptyTrash(path);
    },
    async lastProgress(directory) {
      const reading = await readForeignReading(directory);
      return reading === null ? await lastProgressIn(runFiles(directory).progress) : (await progressIn(directory)).last;
    },
    progress: progressIn,
    async progressLines(directory) {
      return (await tailProgress(runFiles(directory).progress)).lines;
    },
    freeBytes: () => freeBytesOf(root),
    jobEvidence: (directory) => readJobEvidence(directory),
    result: (directory) => readResult(runFiles(directory).result),
    stacks: (directory) => readStacks(directory),
    log: (directory, { rank = 0, ...wish }) => readLogWindow(join(directory, logName(rank)), wish),
    text: (directory, name) => readOwnTextIfThere(join(directory, name), mostBytesOfText),
    lines: (directory, name, mostBytes) => openOwnLines(join(directory, name), mostBytes),
  };
}

/** Whatever the ledger says: nothing is ever deleted but a folder in a folder of an attempt of this store. */
function mustLieInARun(root: string, path: string): void {
  const place = relative(root, path);
  if (/^pipelines\/[^/]+\/[^/]+\/attempt-\d+\/[^/]+\/./.test(place.replaceAll('\\', '/'))) return;
  throw new TemperError('not-found', `${path} is no checkpoint of the store ${root}: it is not deleted`);
}

async function progressIn(directory: string): Promise<ProgressSoFar> {
  const reading = await readForeignReading(directory);
  if (reading === null) {
    const { lines, firstNotFinite } = await tailProgress(runFiles(directory).progress);
    return { last: lines.at(-1) ?? null, firstNotFinite, longestSaveSeconds: longestSaveOf(lines) };
  }
  const log = foreignLog(runFiles(directory).log, reading);
  return { last: await log.readOn(), firstNotFinite: log.firstNotFinite, longestSaveSeconds: null };
}
