/**
 * What the kills did, counted from the witness alone: twins, lost work and goodput.
 *
 * Pure. Does not cover orphans, which only the process table knows (run-chaos.ts).
 */
import type { WitnessEvent } from '../../store/witness.ts';

/** A checkpoint that the bench cut short: nobody may go on from it. */
export interface TornCheckpoint {
  readonly pipeline: string;
  readonly phase: string;
  readonly attempt: number;
  readonly step: number;
}

export interface Counts {
  /** Pairs of trainers of one phase that worked at the same time. */
  readonly twins: number;
  /** Phases that a trainer completed and that were trained again. */
  readonly lostFinishedPhases: number;
  /** Steps trained again although a newer whole checkpoint was there when their trainer started. */
  readonly redoneSteps: number;
  readonly attempts: number;
  readonly trainedSteps: number;
  /** Each step of a phase once. */
  readonly usefulSteps: number;
  readonly usefulSeconds: number;
  /** In steps whose work was lost: they were trained again, or never counted. */
  readonly lostSeconds: number;
  readonly wallSeconds: number;
  /** Share of the slots' time that went into steps that counted. */
  readonly goodput: number;
}

interface Trainer {
  readonly pipeline: string;
  readonly phase: string;
  readonly attempt: number;
  readonly events: readonly WitnessEvent[];
  readonly startedAt: number;
  readonly lastSeenAt: number;
}

export function countFrom(
  witness: readonly WitnessEvent[],
  { torn, slots }: { readonly torn: readonly TornCheckpoint[]; readonly slots: number },
): Counts {
  const events = witness.filter(({ kind }) => kind !== 'evaluate' && kind !== 'seal');
  const phases = [
    ...Map.groupBy(trainersOf(events), ({ pipeline, phase }) => JSON.stringify([pipeline, phase])).values(),
  ];
  const times = events.map(({ time }) => Date.parse(time));
  const wallSeconds = times.length === 0 ? 0 : (Math.max(...times) - Math.min(...times)) / 1000;
  const steps = phases.flatMap(stepsOf);
  const useful = steps.filter(({ counts }) => counts);
  const usefulSeconds = secondsOf(useful);
  return {
    twins: sum(phases.map(twinsOf)),
    lostFinishedPhases: phases.filter(wasTrainedAgain).length,
    redoneSteps: sum(phases.map((trainers) => redoneStepsOf(trainers, torn))),
    attempts: sum(phases.map((trainers) => trainers.length)),
    trainedSteps: steps.length,
    usefulSteps: useful.length,
    usefulSeconds,
    lostSeconds: secondsOf(steps) - usefulSeconds,
    wallSeconds,
    goodput: wallSeconds === 0 ? 0 : usefulSeconds / (wallSeconds * slots),
  };
}

/** By their start. */
function trainersOf(events: readonly WitnessEvent[]): Trainer[] {
  return [...Map.groupBy(events, ({ token, pid }) => `${token} ${String(pid)}`).values()].flatMap((told) => {
    const [first] = told;
    if (first === undefined) return [];
    const { pipeline, phase, attempt, time } = first;
    return [
      {
        pipeline,
        phase,
        attempt,
        events: told,
        startedAt: Date.parse(time),
        lastSeenAt: Date.parse(told.at(-1)?.time ?? time),
      },
    ];
  });
}

function twinsOf(trainers: readonly Trainer[]): number {
  return sum(
    trainers.map(
      (one, index) =>
        trainers
          .slice(index + 1)
          .filter((other) => other.startedAt < one.lastSeenAt && one.startedAt < other.lastSeenAt).length,
    ),
  );
}

function wasTrainedAgain(trainers: readonly Trainer[]): boolean {
  const finished = trainers.find(({ events }) =>
    events.some(({ event, status }) => event === 'stop' && status === 'completed'),
  );
  if (finished === undefined) return false;
  return trainers.some(
    (one) =>
      one.startedAt >= finished.lastSeenAt && one !== finished && one.events.some(({ event }) => event === 'step'),
  );
}

function redoneStepsOf(trainers: readonly Trainer[], torn: readonly TornCheckpoint[]): number {
  const isTorn = ({ pipeline, phase, attempt, step }: WitnessEvent) =>
    torn.some(
      (one) => one.pipeline === pipeline && one.phase === phase && one.attempt === attempt && one.step === step,
    );
  return sum(
    trainers.map((trainer) => {
      const before = trainers.filter((one) => one !== trainer && one.lastSeenAt <= trainer.startedAt);
      const saved = before.flatMap(({ events }) =>
        events.filter((told) => told.event === 'checkpoint' && !isTorn(told)),
      );
      const newest = Math.max(0, ...saved.map(({ step }) => step));
      return trainer.events.filter(({ event, step }) => event === 'step' && step <= newest).length;
    }),
  );
}

interface TrainedStep {
  readonly seconds: number;
  /** The last time that this step of the phase was trained. */
  readonly counts: boolean;
}

function stepsOf(trainers: readonly Trainer[]): TrainedStep[] {
  const told = trainers.flatMap(({ events }, trainer) =>
    events.flatMap((one, index) => {
      const before = events[index - 1];
      if (one.event !== 'step' || before === undefined) return [];
      return [{ step: one.step, trainer, seconds: (Date.parse(one.time) - Date.parse(before.time)) / 1000 }];
    }),
  );
  const last = new Map(told.map(({ step, trainer }) => [step, trainer]));
  return told.map(({ step, trainer, seconds }) => ({ seconds, counts: last.get(step) === trainer }));
}

const secondsOf = (steps: readonly TrainedStep[]): number => sum(steps.map(({ seconds }) => seconds));
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
