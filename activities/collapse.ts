/**
 * Judges whether a phase goes bad while it trains: its evaluations in the ledger → a collapse, recorded with its numbers.
 *
 * Covers loading and recording; the first that is found in a run of a phase stays, until the phase begins anew. Does not cover the rule (decisions/collapse.ts) or what
 * follows (workflows/collapse-watch.ts).
 */
import type { CollapseDecision, LastGood } from '../decisions/after-collapse.ts';
import { judgeCollapse, sentenceOfCollapse } from '../decisions/collapse.ts';
import { curvesOf, looksOf } from '../decisions/looks.ts';
import type { DecisionRecord } from '../store/ledger/decisions.ts';
import type { PhaseContext } from '../workflows/contract.ts';
import { begunAnewAfter } from './changes-of-phase.ts';
import { curveOfPhase } from './checkpoints-of-phase.ts';
import type { ActivityDependencies } from './dependencies.ts';

export interface Collapse {
  readonly sentence: string;
  /** The best checkpoint before: what comes after it is no candidate. */
  readonly goBackTo: LastGood;
}

export interface CollapseActivities {
  /** Null while the run goes on. */
  judgeCollapse(input: { readonly context: PhaseContext }): Promise<Collapse | null>;
}

export function collapseActivities(dependencies: ActivityDependencies): CollapseActivities {
  const { ledger } = dependencies;
  return {
    async judgeCollapse({ context }) {
      const { runId, phase, benchmarks } = context;
      const anew = await begunAnewAfter(ledger, { runId, phase: phase.name });
      const key = `${runId}/${phase.name}/collapse${anew === 0 ? '' : `-after-${String(anew)}`}`;
      const known = (await ledger.decisionsOf({ runId, phase: phase.name })).find((one) => one.key === key);
      if (known) return asCollapse(known);
      const { attempt, checkpoints, directories } = await curveOfPhase(dependencies, context);
      const looks = looksOf(checkpoints, await ledger.evaluationsOf(checkpoints.map(({ id }) => id)), {
        benchmarks: phase.evaluate?.benchmarks ?? [],
        seeds: phase.evaluate?.seeds ?? 1,
        versions: Object.fromEntries(Object.entries(benchmarks).map(([name, { version }]) => [name, version])),
      });
      if (judgeCollapse(looks).kind === 'go-on') return null;
      const { store } = dependencies.placeOf(context.profile);
      const lines = await Promise.all(directories.map((directory) => store.progressLines(directory)));
      const verdict = judgeCollapse(looks, curvesOf(lines.flat()));
      const good = checkpoints.find(({ step }) => verdict.kind === 'stop' && step === verdict.goBackTo);
      if (verdict.kind === 'go-on' || good === undefined) return null;
      const answer: CollapseDecision = {
        onCollapse: phase.onCollapse,
        goBackTo: { attempt: good.attempt, step: good.step },
      };
      const record = await ledger.recordDecision({
        key,
        runId,
        phase: phase.name,
        attempt,
        question: 'collapse',
        answer,
        evidence: { sentence: sentenceOfCollapse(verdict), verdict, looks: looks.map(({ step }) => step) },
        at: dependencies.now().toISOString(),
      });
      return asCollapse(record);
    },
  };
}

function asCollapse({ answer, evidence }: DecisionRecord): Collapse {
  const { goBackTo } = answer as CollapseDecision;
  return { sentence: (evidence as { sentence: string }).sentence, goBackTo };
}
