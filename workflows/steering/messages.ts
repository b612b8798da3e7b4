/** The updates by which a person steers a pipeline, and the signal by which the pipeline tells its phase. */
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { HoldInput } from '../../configs/schema-input-steering.ts';

/** Holds a phase at its next safe point. Answers with what follows, in a sentence, as each of these does. */
export const holdUpdate = defineUpdate<string, [HoldInput | undefined]>('hold');

/** What a pipeline tells the phase that runs. */
export interface PhaseMessage {
  readonly kind: 'hold';
  /** Who asked, and why. */
  readonly sentence: string;
}

export const steerSignal = defineSignal<[PhaseMessage]>('steer');
