/** The updates by which a person steers a pipeline, and the signal by which the pipeline tells its phase. */
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Budgets } from '../../configs/schema.ts';
import type {
  ExtendBudgetInput,
  HoldInput,
  PromoteInput,
  RetryPhaseInput,
  SkipPhaseInput,
} from '../../configs/schema-input-steering.ts';
import type { CheckpointRef } from '../contract.ts';

/** Holds a phase at its next safe point. Answers with what follows, in a sentence, as each of these does. */
export const holdUpdate = defineUpdate<string, [HoldInput | undefined]>('hold');

/** Ends a phase that has not begun or is held: the next one starts from its parent. */
export const skipPhaseUpdate = defineUpdate<string, [SkipPhaseInput | undefined]>('skipPhase');
/** A held phase begins anew from its start, with other parameters where some are named. */
export const retryPhaseUpdate = defineUpdate<string, [RetryPhaseInput | undefined]>('retryPhase');
/** A person names the checkpoint of a held phase that goes on. */
export const promoteUpdate = defineUpdate<string, [PromoteInput | undefined]>('promote');
export const extendBudgetUpdate = defineUpdate<string, [ExtendBudgetInput | undefined]>('extendBudget');

/** What ends a held phase otherwise than a release; `sentence`: who asked, and why; `steering`: the id of that, absent from pipelines that began before it was told. */
export type HoldEnding =
  | { readonly kind: 'skip' | 'again'; readonly sentence: string }
  | {
      readonly kind: 'promote';
      readonly checkpoint: CheckpointRef;
      readonly sentence: string;
      readonly steering?: string;
    };

/** What a pipeline tells the phase that runs. */
export type PhaseMessage =
  | HoldEnding
  | { readonly kind: 'hold'; readonly sentence: string }
  | { readonly kind: 'budgets'; readonly budgets: Budgets; readonly sentence: string };

export const steerSignal = defineSignal<[PhaseMessage]>('steer');
