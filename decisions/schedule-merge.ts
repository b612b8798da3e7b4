/**
 * A schedule's file against the schedule as it is: what is changed, what a person has edited meanwhile and stays, and where both have
 * changed the same field to different things.
 *
 * A three-way merge, field by field, from what was applied last. Does not cover reading or writing a schedule (workers/schedules.ts).
 */
import { canonicalJson } from './identity.ts';

/** Values by the path of their field, such as `sweep.gpuHours`. */
export type ScheduleFields = Readonly<Record<string, unknown>>;

export interface ChangedField {
  readonly field: string;
  /** As it is in the schedule; undefined where it has none. */
  readonly there: unknown;
  readonly file: unknown;
}

export interface ScheduleMerge {
  /** Taken over from the file. */
  readonly changes: readonly ChangedField[];
  /** Edited since it was applied; the file has not changed there. */
  readonly kept: readonly ChangedField[];
  /** Edited since it was applied, and changed in the file to something else. */
  readonly conflicts: readonly ChangedField[];
}

/** `applied`: the fields of the file when it was applied last; null for a schedule that was never applied. */
export function mergeSchedule(
  applied: ScheduleFields | null,
  file: ScheduleFields,
  there: ScheduleFields,
): ScheduleMerge {
  const fields = [...new Set([...Object.keys(file), ...Object.keys(there)])].sort();
  const differing = fields
    .filter((field) => !isSame(file[field], there[field]))
    .map((field) => ({ field, there: there[field], file: file[field] }));
  const isEdited = ({ field }: ChangedField) => applied === null || !isSame(applied[field], there[field]);
  const isChanged = ({ field }: ChangedField) => applied === null || !isSame(applied[field], file[field]);
  return {
    changes: differing.filter((one) => !isEdited(one)),
    kept: differing.filter((one) => isEdited(one) && !isChanged(one)),
    conflicts: differing.filter((one) => isEdited(one) && isChanged(one)),
  };
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one ?? null) === canonicalJson(other ?? null);
}

/** A line for each field, as a person reads it. */
export function linesOfMerge({ changes, kept, conflicts }: ScheduleMerge): readonly string[] {
  return [
    ...changes.map(({ field, there, file }) => `  ~ ${field}: ${valueText(there)} → ${valueText(file)}`),
    ...kept.map(
      ({ field, there, file }) =>
        `  = ${field}: stays ${valueText(there)}, as it was edited since (the file says ${valueText(file)})`,
    ),
    ...conflicts.map(
      ({ field, there, file }) => `  ! ${field}: is ${valueText(there)}, the file says ${valueText(file)}`,
    ),
  ];
}

/** A line for each field that is not as it was written. */
export function linesOfUnwritten(written: ScheduleFields, there: ScheduleFields): readonly string[] {
  // As if `written` had been applied: what differs from it was edited since.
  return mergeSchedule(written, written, there).kept.map(
    (one) => `  ! ${one.field}: is ${valueText(one.there)}, was written as ${valueText(one.file)}`,
  );
}

function valueText(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
