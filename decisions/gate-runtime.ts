/**
 * The stage that limits the runtime: how long one run over the benchmark takes, for problems like these, against the limit less a margin.
 *
 * Covers times of evaluations, times from outside, and a plain word from outside. Does not cover what a score is worth.
 */
import type { CheckpointFact } from './evaluation.ts';
import { outsideMinutes, scored, wholeEvaluations } from './gate-evidence.ts';
import type { GateInput } from './gate-input.ts';
import type { RuntimeLine, RuntimeReport } from './gate-report.ts';
import { runTimeOf } from './run-time.ts';
import { evaluationsOf } from './scores.ts';

export interface RuntimeRule {
  readonly benchmark: string;
  readonly minutes: number;
  readonly marginMinutes: number;
}

export function judgeRuntime(input: GateInput, standing: readonly CheckpointFact[], rule: RuntimeRule): RuntimeReport {
  const lines = standing.map((checkpoint) => lineOf(input, checkpoint, rule));
  return { stage: 'runtime-at-most', ...rule, lines };
}

function lineOf(input: GateInput, checkpoint: CheckpointFact, rule: RuntimeRule): RuntimeLine {
  const { id, step } = checkpoint;
  const limit = rule.minutes - rule.marginMinutes;
  const within = (minutes: number) => (minutes <= limit ? 'passed' : 'failed');
  const own = ownMinutes(input, checkpoint, rule.benchmark);
  if (own !== null) {
    return { checkpoint: id, step, ...own, decidedBy: 'evaluations', outcome: within(own.p95) };
  }
  const told = outsideMinutes(input, id, rule.benchmark);
  if (told !== null) {
    return { checkpoint: id, step, seen: told, p95: null, decidedBy: 'outside-time', outcome: within(told) };
  }
  const word = (input.outside ?? []).filter(
    (one) => one.kind === 'within-runtime' && one.checkpoint === id && one.benchmark === rule.benchmark,
  );
  const outcome = word.length > 0 && word.every((one) => one.kind === 'within-runtime' && one.within);
  const decidedBy = word.length > 0 ? 'told' : 'unknown';
  return { checkpoint: id, step, seen: null, p95: null, decidedBy, outcome: outcome ? 'passed' : 'failed' };
}

/** Of one run: its mean over seeds, and what 95 % of the draws of as many problems stay below; never less than the longest seed took. */
function ownMinutes(
  input: GateInput,
  checkpoint: CheckpointFact,
  benchmark: string,
): { readonly seen: number; readonly p95: number } | null {
  const version = input.versions[benchmark];
  const [score] = scored(input, [checkpoint], benchmark);
  if (version === undefined || score === undefined || score.problems === null) return null;
  const evaluations = evaluationsOf(wholeEvaluations(input, benchmark), {
    checkpoint: checkpoint.id,
    benchmark,
    version,
  });
  const { seen, p95 } = runTimeOf(evaluations);
  return { seen, p95 };
}
