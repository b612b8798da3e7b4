/** The schedule that a person names by file, refused where a clock change skips or doubles one of its times. */
import { loadScheduleFile, type LocatedProblem } from '../../configs/load.ts';
import type { Schedule } from '../../configs/schema-schedule.ts';
import { clockProblems } from '../../decisions/clock-change.ts';
import { TemperError } from '../../decisions/errors.ts';

/** Throws `invalid-input` or `not-found`. */
export async function givenSchedule(path: string): Promise<Schedule> {
  const { value } = await loadScheduleFile(path);
  refuseClockTrouble(value, path);
  return value;
}

/** Throws `invalid-input` with every such time, and one that is safe. */
export function refuseClockTrouble(schedule: Schedule, source: string): void {
  const problems = clockProblems(schedule, new Date().toISOString()).map((message): LocatedProblem => ({
    field: 'at',
    message,
    source,
  }));
  if (problems.length === 0) return;
  const lines = problems.map(({ field, message }) => `  ${field}: ${message}`);
  throw new TemperError('invalid-input', [`Schedule ${source} is not valid:`, ...lines].join('\n'), {
    details: problems,
  });
}
