/**
 * What a checkpoint format must be able to say. One file per format; checkpoints.ts holds the list of them.
 */
import type { CheckpointFormat } from '../../decisions/evaluation.ts';
import type { Seal } from '../seal.ts';

/** How much of a checkpoint can be relied on, read from names, sizes, headers and markers: never from the bytes of the weights. */
export interface Inspection {
  /** `complete`: weights and configuration are whole, and whoever wrote it had finished. */
  readonly level: 'torn' | 'complete';
  /** Complete, and training can go on from it exactly: optimizer, scheduler and random state are there. */
  readonly resumable: boolean;
  /** Names the file and the reason why it is torn, or why it is not resumable; null when nothing is missing. */
  readonly damage: string | null;
  readonly step: number;
  readonly bytes: number;
  readonly format: CheckpointFormat;
  /** Something that is written last says that it is finished. False for weights alone: they may still be followed by more files. */
  readonly marked: boolean;
  /** The seal beside it, when its names and sizes agree with the files. */
  readonly seal: Seal | null;
  /** Lowest step of the trainer's own log whose loss or gradient norm was not finite. */
  readonly firstNotFinite: number | null;
}

/** What a reader finds by itself; the seal's share is added in checkpoints.ts. */
export interface Reading {
  /** Why weights or configuration are not whole; null when they are. */
  readonly damage: string | null;
  /** Set by formats whose marker is written last. */
  readonly marked: boolean;
  /** Why the marker or a state file says that the writer had not finished, or wrote something else; null when none does. */
  readonly unfinished: string | null;
  /** Why training cannot go on exactly; null when it can. */
  readonly notResumable: string | null;
  readonly firstNotFinite: number | null;
}

/** A checkpoint directory as it was listed: sizes by relative path. */
export interface CheckpointFolder {
  readonly path: string;
  readonly step: number;
  readonly sizes: ReadonlyMap<string, number>;
  /** Processes that wrote it, where that is known: each leaves a file of its own. */
  readonly processes?: number;
}

export interface CheckpointFormatReader {
  readonly format: CheckpointFormat;
  /** The step in the name of a checkpoint directory of this format; null when it is none. */
  stepOf(name: string): number | null;
  /** Whether the files look like this format. */
  recognises(folder: CheckpointFolder): boolean;
  read(folder: CheckpointFolder): Promise<Reading>;
}
