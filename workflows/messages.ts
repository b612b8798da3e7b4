/** The queries, updates and signals of Temper's workflows, and the search attributes they keep. */
import { defineSearchAttributeKey } from '@temporalio/common';
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Leaderboard, PhaseReport, PipelineStatus, ReleaseInput, ResolvedPipeline } from './contract.ts';
import type { LeaderboardRow } from '../decisions/leaderboard.ts';

export const statusQuery = defineQuery<PipelineStatus>('status');
export const leaderboardQuery = defineQuery<Leaderboard>('leaderboard');
export const planQuery = defineQuery<ResolvedPipeline | null>('plan');

/** Lets a held phase go on. Answers with what it did, in a sentence. */
export const releaseUpdate = defineUpdate<string, [ReleaseInput | undefined]>('release');

/** From a phase to its pipeline. */
export const phaseReportSignal = defineSignal<[PhaseReport]>('phaseReport');
export const rowsSignal = defineSignal<[readonly LeaderboardRow[]]>('leaderboardRows');
/** From a pipeline to its held phase. */
export const releaseSignal = defineSignal<[ReleaseInput]>('release');

export const searchAttributes = {
  state: defineSearchAttributeKey('TemperState', 'KEYWORD'),
  phase: defineSearchAttributeKey('TemperPhase', 'KEYWORD'),
  model: defineSearchAttributeKey('TemperModel', 'KEYWORD'),
  score: defineSearchAttributeKey('TemperScore', 'DOUBLE'),
} as const;
