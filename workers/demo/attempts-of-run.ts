/**
 * Every training attempt of a run with what became of it, and what the kills cost, from the ledger and the witness.
 *
 * Covers putting the two together. Does not cover how it is shown (survival-text.ts).
 */
import type { Phase } from '../../configs/schema.ts';
import { targetStepOf } from '../../decisions/due-steps.ts';
import { sentenceOfClass } from '../../decisions/sentences.ts';
import type { AttemptRecord } from '../../store/ledger/attempts.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { WitnessEvent } from '../../store/witness.ts';

export interface AttemptOfRun {
  readonly number: number;
  readonly state: AttemptRecord['state'];
  /** The step it went on from; 0 from the phase's start. */
  readonly fromStep: number;
  /** The last step it trained. */
  readonly toStep: number;
  /** Why it failed, in words; null when it did not. */
  readonly cause: string | null;
  /** In steps that its successor had to train again. */
  readonly secondsLost: number;
}

export interface PhaseOfRun {
  readonly phase: string;
  readonly attempts: readonly AttemptOfRun[];
  /** As often as each was trained. */
  readonly stepsTrained: number;
  /** Each once: 0 where nothing is trained. */
  readonly stepsNeeded: number;
  readonly checkpointEvery: number | null;
}

export interface RunToTell {
  readonly workflowId: string;
  readonly runId: string;
  readonly phases: readonly Phase[];
}

export async function attemptsOfRun(
  ledger: Ledger,
  witness: readonly WitnessEvent[],
  run: RunToTell,
): Promise<readonly PhaseOfRun[]> {
  return await Promise.all(run.phases.map((phase) => phaseOfRun(ledger, witness, { ...run, phase })));
}

async function phaseOfRun(
  ledger: Ledger,
  witness: readonly WitnessEvent[],
  { workflowId, runId, phase }: RunToTell & { readonly phase: Phase },
): Promise<PhaseOfRun> {
  const records = await ledger.attemptsOf({ workflowId, runId, phase: phase.name });
  const incidents = await ledger.incidentsOf({ runId, phase: phase.name });
  const told = witness.filter(
    (one) => one.pipeline === workflowId && one.phase === phase.name && one.kind !== 'evaluate',
  );
  const fromSteps = records.map(
    ({ request }) => (request as { resume: { step: number } | null } | null)?.resume?.step ?? 0,
  );
  const attempts = records.map(({ number, state, jobUid }, index): AttemptOfRun => {
    const steps = stepsOf(told.filter(({ token }) => token === jobUid));
    const incident = incidents.find(({ attempt }) => attempt === number);
    const fromStep = fromSteps[index] ?? 0;
    const keptUpTo = fromSteps[index + 1] ?? Infinity;
    const lost = steps.filter(({ step }) => step > keptUpTo);
    return {
      number,
      state,
      fromStep,
      toStep: steps.at(-1)?.step ?? fromStep,
      cause: incident === undefined ? null : sentenceOfClass(incident.class, incident.because),
      secondsLost: lost.reduce((sum, { seconds }) => sum + seconds, 0),
    };
  });
  const checkpointEvery = 'checkpointEvery' in phase.params ? phase.params.checkpointEvery : null;
  return {
    phase: phase.name,
    attempts,
    stepsTrained: told.filter(({ event }) => event === 'step').length,
    stepsNeeded: targetStepOf(phase),
    checkpointEvery,
  };
}

/** What a trainer trained, each step from what it said before. */
function stepsOf(told: readonly WitnessEvent[]): { readonly step: number; readonly seconds: number }[] {
  return told.flatMap(({ event, step, time }, index) => {
    const before = told[index - 1];
    if (event !== 'step' || before === undefined) return [];
    return [{ step, seconds: (Date.parse(time) - Date.parse(before.time)) / 1000 }];
  });
}
