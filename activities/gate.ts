/**
 * Judges the candidates of a phase: evaluations of the ledger → verdict, recorded with the numbers it rests on.
 *
 * Covers loading and recording. Does not cover the rule (decisions/gate.ts) or making evaluations (evaluations.ts).
 */
import { createHash } from 'node:crypto';
import type { EvaluatedBenchmark, OutsideBenchmark } from '../configs/schema.ts';
import type { Evaluation, EvaluationKey } from '../decisions/evaluation.ts';
import { judgeGate, type GateVerdict, type ScoredByVote } from '../decisions/gate.ts';
import type { LastGood } from '../decisions/after-collapse.ts';
import type { HeldComparison } from '../decisions/gate-input.ts';
import { type LeaderboardRow, rowInputs } from '../decisions/leaderboard.ts';
import { sentenceOfVerdict } from '../decisions/gate-sentences.ts';
import { evaluatedOf, outsideOfGate } from '../decisions/outside-benchmark.ts';
import { evidenceOfScores, type OutsideScore } from '../decisions/outside-score.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { OutsideOfPipeline } from '../decisions/shown-scores.ts';
import type { CheckpointRef, PhaseContext } from '../workflows/contract.ts';
import { claimBenchmarks } from './benchmark-definitions.ts';
import { candidatesForGate, refOf } from './checkpoints-of-phase.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { outsideOfPipeline } from './outside-of-pipeline.ts';
import { rowsInTurn } from './rows-in-turn.ts';

interface Answered {
  readonly sentence: string;
  readonly rows: readonly LeaderboardRow[];
  /** For the page, where the gate looks at scores from outside. */
  readonly outside?: OutsideOfPipeline;
}

/** A verdict as the workflow carries it out. */
export type GateAnswer =
  | (Answered & { readonly kind: 'promote'; readonly checkpoint: CheckpointRef; readonly score: number | null })
  | (Answered & { readonly kind: 'more-evaluations'; readonly missing: readonly EvaluationKey[] })
  | (Answered & {
      readonly kind: 'hold' | 'reject';
      /**
       * What the evidence does not decide, or where scores from outside are lacking; a person who releases it lets the highest of these go on.
       * Absent from older workers.
       */
      readonly heldAt?: HeldComparison;
      /** The gate looks at scores from outside: one that comes in may change its mind. */
      readonly hearsScores?: true;
    });

export interface GateActivities {
  /** `releases`: what was let go on though the evidence did not decide; `upTo`: the last checkpoint before the run collapsed. */
  judgeGate(input: {
    readonly context: PhaseContext;
    readonly releases?: readonly HeldComparison[];
    readonly upTo?: LastGood;
  }): Promise<GateAnswer>;
}

export function gateActivities(dependencies: ActivityDependencies): GateActivities {
  const { ledger } = dependencies;
  return {
    async judgeGate({ context, releases = [], upTo }) {
      const { phase, start, benchmarks, runId } = context;
      const candidates = await candidatesForGate(dependencies, context, upTo);
      const parent = start && (await ledger.checkpoint(start.id));
      const evaluations = await ledger.evaluationsOf([
        ...candidates.map(({ id }) => id),
        ...(parent ? [parent.id] : []),
      ]);
      const outside = outsideOfGate(phase, benchmarks);
      const scores = await scoresOn(dependencies, context, {
        outside,
        checkpoints: parent ? [parent, ...candidates] : candidates,
      });
      const verdict = judgeGate({
        stages: phase.gate,
        evaluate: {
          benchmarks: phase.evaluate?.benchmarks ?? [],
          seeds: phase.evaluate?.seeds ?? 1,
          maxSeeds: phase.evaluate?.maxSeeds ?? 1,
        },
        candidates,
        parent,
        evaluations,
        versions: Object.fromEntries(
          Object.entries(evaluatedOf(benchmarks)).map(([name, { version }]) => [name, version]),
        ),
        votes: votesOf(evaluatedOf(benchmarks)),
        outsideBenchmarks: Object.keys(outside),
        outside: evidenceOfScores(scores),
        releases,
        evaluationBudgetLeft: context.budgets.evaluations - (await ledger.evaluationCountOf(runId)),
      });
      const sentence = sentenceOfVerdict(verdict);
      const rows = await rowsInTurn(
        rowInputs({
          checkpoints: [...(parent ? [parent] : []), ...candidates],
          evaluations,
          verdicts: { [phase.name]: verdict },
        }),
      );
      await record(dependencies, context, { verdict, evaluations, scores, sentence, rows });
      const looksOutside = Object.keys(outside).length > 0;
      const shown = looksOutside && {
        outside: await outsideOfPipeline(ledger, { runId, asOf: dependencies.now().toISOString() }),
      };
      const answer = asAnswer(verdict, candidates, { sentence, rows, ...shown });
      const hears = (answer.kind === 'hold' || answer.kind === 'reject') && looksOutside;
      return hears ? { ...answer, hearsScores: true } : answer;
    },
  };
}

function votesOf(benchmarks: Readonly<Record<string, EvaluatedBenchmark>>): Readonly<Record<string, ScoredByVote>> {
  return Object.fromEntries(
    Object.entries(benchmarks).flatMap(([name, { vote, samples }]) =>
      vote === undefined ? [] : [[name, { ...vote, samples }]],
    ),
  );
}

/** Scores from outside that count here; from now on their benchmarks mean what this recipe says. */
async function scoresOn(
  { ledger, ...dependencies }: ActivityDependencies,
  { benchmarks, dataDigests }: PhaseContext,
  on: {
    readonly outside: Readonly<Record<string, OutsideBenchmark>>;
    readonly checkpoints: readonly { readonly id: string }[];
  },
): Promise<readonly OutsideScore[]> {
  const names = new Set(Object.keys(on.outside));
  if (names.size === 0) return [];
  await claimBenchmarks(ledger, { benchmarks, dataDigests }, { names, at: dependencies.now().toISOString() });
  const scores = await ledger.outsideScoresOf(on.checkpoints.map(({ id }) => id));
  return scores.filter(({ benchmark, version }) => on.outside[benchmark]?.version === version);
}

interface Judged extends Answered {
  readonly verdict: GateVerdict;
  readonly evaluations: readonly Evaluation[];
  readonly scores: readonly OutsideScore[];
}

/** The key names the evidence: the same evidence is one verdict, however often it is asked for. */
async function record(
  dependencies: ActivityDependencies,
  { runId, phase }: PhaseContext,
  { verdict, evaluations, scores, sentence, rows }: Judged,
): Promise<void> {
  const keys = evaluations.map(({ checkpoint, benchmark, version, seed }) => ({
    checkpoint,
    benchmark,
    version,
    seed,
  }));
  const told = scores.length > 0 ? { scores: scores.map(({ id }) => id) } : {};
  const digest = createHash('sha256')
    .update(JSON.stringify([keys, verdict, ...Object.values(told)]))
    .digest('hex')
    .slice(0, 16);
  const at = dependencies.now().toISOString();
  await dependencies.ledger.recordVerdict({
    key: `${runId}/${phase.name}/${digest}`,
    runId,
    phase: phase.name,
    verdict,
    evidence: { evaluations: keys, ...told, sentence, rows },
    at,
  });
}

function asAnswer(verdict: GateVerdict, candidates: readonly CheckpointRecord[], answered: Answered): GateAnswer {
  switch (verdict.kind) {
    case 'promote': {
      const promoted = candidates.find(({ id }) => id === verdict.checkpoint.id);
      if (!promoted) return { ...answered, kind: 'hold' };
      return { ...answered, kind: 'promote', checkpoint: refOf(promoted), score: verdict.score };
    }
    case 'more-evaluations':
      if (verdict.missing.length === 0) return { ...answered, kind: 'hold', ...heldAt(verdict) };
      return { ...answered, kind: 'more-evaluations', missing: verdict.missing };
    case 'hold':
      return { ...answered, kind: 'hold', ...heldAt(verdict) };
    case 'reject':
      return { ...answered, kind: 'reject' };
  }
}

function heldAt({ because, stages }: Extract<GateVerdict, { kind: 'hold' | 'more-evaluations' }>): {
  readonly heldAt?: HeldComparison;
} {
  // The stage that lacks scores was not judged.
  if (because.rule === 'outside-scores') return { heldAt: { stage: stages.length, contenders: because.contenders } };
  if (because.rule !== 'undecided') return {};
  return { heldAt: { stage: stages.length - 1, contenders: because.contenders } };
}
