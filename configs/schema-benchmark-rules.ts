/**
 * Which fields of a benchmark go together.
 *
 * Covers its data, its grader, its vote and its time. Does not cover who uses it (schema-rules.ts) or single fields (schema-fields.ts).
 */
import type { BrokenRule } from './schema-phase-rules.ts';

export interface BenchmarkFields {
  readonly outside?: boolean | undefined;
  readonly data?: { readonly tiny?: string } | object;
  readonly grader?: string;
  readonly tolerance?: { readonly relative?: number | undefined; readonly absolute?: number | undefined } | undefined;
  readonly samples?: number;
  readonly vote?:
    | { readonly agreeing?: number | undefined; readonly of?: number | undefined; readonly weight?: string | undefined }
    | undefined;
  readonly time?: Time | undefined;
}

interface Time {
  readonly problemMinutes: number;
  readonly upToMinutes?: number | undefined;
  readonly runMinutes?: number | undefined;
}

/** Of every benchmark, in the order of the file. */
export function rulesOfBenchmarkFields(benchmarks: Readonly<Record<string, BenchmarkFields>>): BrokenRule[] {
  return Object.entries(benchmarks).flatMap(([name, benchmark]) =>
    [
      ...rulesOfData(benchmark),
      ...rulesOfTolerance(benchmark),
      ...rulesOfVote(benchmark),
      ...rulesOfTime(benchmark),
    ].map(({ path, message }) => ({ path: ['benchmarks', name, ...path], message })),
  );
}

/** Solutions are there to be imitated; what is scored are problems. */
function rulesOfData({ data }: BenchmarkFields): BrokenRule[] {
  if (data === undefined || !('tiny' in data) || data.tiny !== 'solutions') return [];
  const message = 'is "solutions", and a benchmark scores problems: say "held-out" (or "problems")';
  return [{ path: ['data', 'tiny'], message }];
}

/** Numbers are compared within a tolerance that is stated; nothing else has one. */
function rulesOfTolerance({ grader, tolerance }: BenchmarkFields): BrokenRule[] {
  const path = ['tolerance'];
  const isStated = tolerance !== undefined && Object.keys(tolerance).length > 0;
  if (grader === 'numeric' && !isStated) {
    const message =
      'is not stated, and grader "numeric" compares within it: say {relative: 0.000001}, or {absolute: …}';
    return [{ path, message }];
  }
  if (grader === 'numeric' || tolerance === undefined) return [];
  const message = `is for grader "numeric", and this benchmark has "${String(grader)}": leave it out`;
  return [{ path, message }];
}

/** One sample is no vote, and a vote that can end early has no samples left to draw from. */
function rulesOfVote({ vote, samples = 1 }: BenchmarkFields): BrokenRule[] {
  if (vote === undefined) return [];
  if (samples === 1) {
    const message = 'is over the samples of a problem, and this benchmark has 1: say samples: 8, or leave the vote out';
    return [{ path: ['vote'], message }];
  }
  const beyond = (['agreeing', 'of'] as const).flatMap((field): BrokenRule[] => {
    const votes = vote[field];
    if (votes === undefined || votes <= samples) return [];
    const message = `is ${String(votes)}, and a problem has ${String(samples)} samples: name so many at most`;
    return [{ path: ['vote', field], message }];
  });
  if (vote.of === undefined) return beyond;
  const path = ['vote', 'of'];
  if (vote.agreeing !== undefined)
    beyond.push({ path, message: 'draws from all samples, and "agreeing" leaves some out: name one of the two' });
  if (vote.weight !== undefined)
    beyond.push({ path, message: 'draws votes that weigh the same, and "weight" weighs them: name one of the two' });
  return beyond;
}

/** What a problem may take lies between its own time and that of the run. */
function rulesOfTime({ time }: BenchmarkFields): BrokenRule[] {
  if (time === undefined) return [];
  return (['upToMinutes', 'runMinutes'] as const).flatMap((field): BrokenRule[] => {
    const minutes = time[field];
    if (minutes === undefined || minutes >= time.problemMinutes) return [];
    const message = `is ${String(minutes)}, and each problem has ${String(time.problemMinutes)}: name so many at least`;
    return [{ path: ['time', field], message }];
  });
}
