/** A schedule's file against the schedule as it is. */
import { linesOfMerge, mergeSchedule } from '../../decisions/schedule-merge.ts';

const applied = { at: ['03:00'], catchUpHours: 6, 'sweep.gpuHours': 8 };

test.each([
  { title: 'nothing differs', file: applied, there: applied, want: {} },
  {
    title: 'the file has changed',
    file: { ...applied, catchUpHours: 12 },
    there: applied,
    want: { changes: ['catchUpHours'] },
  },
  { title: 'the schedule was edited', file: applied, there: { ...applied, at: ['04:00'] }, want: { kept: ['at'] } },
  {
    title: 'both have changed to the same',
    file: { ...applied, catchUpHours: 12 },
    there: { ...applied, catchUpHours: 12 },
    want: {},
  },
  {
    title: 'both have changed to different things',
    file: { ...applied, catchUpHours: 12 },
    there: { ...applied, catchUpHours: 3 },
    want: { conflicts: ['catchUpHours'] },
  },
  {
    title: 'a field is new in the file',
    file: { ...applied, 'sweep.recipe': 'tiny' },
    there: applied,
    want: { changes: ['sweep.recipe'] },
  },
  {
    title: 'a field left the file',
    file: { at: ['03:00'], catchUpHours: 6 },
    there: applied,
    want: { changes: ['sweep.gpuHours'] },
  },
  {
    title: 'a field was added in the UI',
    file: applied,
    there: { ...applied, 'sweep.seeds': 9 },
    want: { kept: ['sweep.seeds'] },
  },
])('$title', ({ file, there, want }) => {
  const { changes, kept, conflicts } = mergeSchedule(applied, file, there);
  const names = (fields: readonly { readonly field: string }[]) => fields.map(({ field }) => field);
  expect({ changes: names(changes), kept: names(kept), conflicts: names(conflicts) }).toEqual({
    ...{ changes: [], kept: [], conflicts: [] },
    ...want,
  });
});

test('a schedule that was never applied is taken over where it is the same, and refused where it differs', () => {
  expect(mergeSchedule(null, applied, applied)).toEqual({ changes: [], kept: [], conflicts: [] });
  const { conflicts } = mergeSchedule(null, applied, { ...applied, at: ['04:00'] });
  expect(conflicts).toEqual([{ field: 'at', there: ['04:00'], file: ['03:00'] }]);
});

test('each field has its line, with both values', () => {
  const merge = mergeSchedule(applied, { ...applied, catchUpHours: 12 }, { ...applied, at: ['04:00'] });
  expect(linesOfMerge(merge)).toEqual([
    '  ~ catchUpHours: 6 → 12',
    '  = at: stays ["04:00"], as it was edited since (the file says ["03:00"])',
  ]);
});
