/** The queries, updates and signals of Temper's workflows, and the search attributes they keep. */
import { defineSearchAttributeKey } from '@temporalio/common';
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ScoreInput } from '../configs/schema-score.ts';
import type { OutsideOfPipeline } from '../decisions/shown-scores.ts';
import type { Leaderboard, PhaseReport, PipelineStatus, ReleaseInput, ResolvedPipeline } from './contract.ts';
import type { LeaderboardRow } from '../decisions/leaderboard.ts';

export const statusQuery = defineQuery<PipelineStatus>('status');
export const leaderboardQuery = defineQuery<Leaderboard>('leaderboard');
export const planQuery = defineQuery<ResolvedPipeline | null>('plan');

/** Lets a held phase go on. Answers with what it did, in a sentence. */
export const releaseUpdate = defineUpdate<string, [ReleaseInput | undefined]>('release');

/** Brings a score from outside, which counts in the gates that name its benchmark. Answers with what was recorded, in a sentence. */
export const recordScoreUpdate = defineUpdate<string, [ScoreInput | undefined]>('recordScore');

/** From a phase to its pipeline, with the run that it is a phase of. */
export const phaseReportSignal = defineSignal<[PhaseReport, string]>('phaseReport');
/** Of scores from outside too, where they are told; also from whoever brought them. */
export const rowsSignal = defineSignal<[readonly LeaderboardRow[], string, OutsideOfPipeline?]>('leaderboardRows');
/** From a pipeline to its held phase. */
export const releaseSignal = defineSignal<[ReleaseInput]>('release');

/** To a phase whose gate looks at the benchmark of a score that came in. */
export const scoreSignal = defineSignal<[{ readonly id: string }]>('scoreRecorded');

export const searchAttributes = {
  state: defineSearchAttributeKey('TemperState', 'KEYWORD'),
  phase: defineSearchAttributeKey('TemperPhase', 'KEYWORD'),
  model: defineSearchAttributeKey('TemperModel', 'KEYWORD'),
  score: defineSearchAttributeKey('TemperScore', 'DOUBLE'),
} as const;
