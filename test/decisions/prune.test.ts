import fc from 'fast-check';
import { bytesText, sentenceOfGo, sentenceOfKeep } from '../../decisions/prune-sentences.ts';
import { choosePrunable, type PruneCandidate } from '../../decisions/prune.ts';
import { resumeCandidate } from '../support/builders.ts';

const free = {
  freedBytes: 100,
  attemptLives: false,
  due: false,
  evaluated: false,
  pinned: false,
  promoted: false,
  isParent: false,
  readBy: null,
  work: 'sft on these data',
  attemptDistrusted: false,
  leftBehind: false,
};

function candidate(step: number, change: Partial<PruneCandidate> = {}): PruneCandidate {
  const attempt = change.attempt ?? 1;
  const id = `a${String(attempt)}/checkpoint-${String(step)}`;
  return { ...resumeCandidate(step, { id }), ...free, ...change };
}
const newer = [candidate(90), candidate(100)];
const fateOf = (one: PruneCandidate, others: readonly PruneCandidate[] = newer) => {
  const { go, stay } = choosePrunable([one, ...others]);
  const kept = stay.find(({ checkpoint }) => checkpoint === one);
  return kept ? kept.why.rule : `goes: ${go.find(({ checkpoint }) => checkpoint === one)?.why ?? '?'}`;
};

test.each<{ title: string; change: Partial<PruneCandidate>; want: string }>([
  { title: 'an older one', change: {}, want: 'goes: older' },
  { title: 'a torn one of an attempt that is over', change: { level: 'torn' }, want: 'goes: torn' },
  { title: 'one made after numbers went wrong', change: { finite: false }, want: 'goes: not-trusted' },
  { title: 'one that is not complete yet', change: { level: 'torn', attemptLives: true }, want: 'being-written' },
  { title: 'a pinned one', change: { pinned: true }, want: 'pinned' },
  { title: 'a promoted one, which is pinned', change: { pinned: true, promoted: true }, want: 'promoted' },
  { title: 'a promoted one', change: { promoted: true }, want: 'promoted' },
  { title: 'one that another was made from', change: { isParent: true }, want: 'parent' },
  { title: 'one that a living job reads', change: { readBy: 't-demo-sft-a2' }, want: 'read' },
  { title: 'one that is read, though it is torn', change: { readBy: 't-demo-sft-a2', level: 'torn' }, want: 'read' },
  { title: 'an evaluated one', change: { evaluated: true }, want: 'evaluated' },
  { title: 'one that is due', change: { due: true }, want: 'due' },
  {
    title: 'one from before a person had it begin anew',
    change: { leftBehind: true, due: true },
    want: 'goes: left-behind',
  },
  { title: 'an evaluated one from before that', change: { leftBehind: true, evaluated: true }, want: 'evaluated' },
  {
    title: 'one that is due but torn, which cannot be evaluated',
    change: { due: true, level: 'torn' },
    want: 'goes: torn',
  },
])('$title: $want', ({ change, want }) => {
  expect(fateOf(candidate(10, change))).toBe(want);
});

test('the newest two that are complete stay, whichever attempt made them', () => {
  expect(fateOf(candidate(90), [candidate(100)])).toBe('newest');
  expect(fateOf(candidate(80), newer)).toBe('goes: older');
  expect(fateOf(candidate(80), [candidate(100), candidate(90, { level: 'torn' })])).toBe('newest');
  expect(fateOf(candidate(50, { attempt: 2 }), [candidate(50), candidate(40)])).toBe('newest');
});

test('those from before a person had it begin anew are none of the newest two, however far they came', () => {
  const before = [candidate(90, { leftBehind: true }), candidate(100, { leftBehind: true })];
  expect(fateOf(candidate(10, { attempt: 2 }), before)).toBe('newest');
  expect(before.map((one) => fateOf(one, [candidate(10, { attempt: 2 })]))).toEqual([
    'goes: left-behind',
    'goes: left-behind',
  ]);
});

test('the newest two of each thing that was trained: a run of another recipe has its own', () => {
  const other = { attempt: 2, work: 'sft on other data' };
  expect(fateOf(candidate(20, other), [...newer, candidate(10, other)])).toBe('newest');
  expect(fateOf(candidate(10, other), [...newer, candidate(20, other), candidate(30, other)])).toBe('goes: older');
});

test('and the newest two before an attempt that nobody goes on from', () => {
  const distrusted = [90, 100].map((step) => candidate(step, { attempt: 2, attemptDistrusted: true }));
  expect(fateOf(candidate(20), [candidate(10), ...distrusted])).toBe('newest');
  expect(fateOf(candidate(80, { attempt: 2, attemptDistrusted: true }), distrusted)).toBe('goes: not-trusted');
});

test('and the newest two that may be gone on from, where the newest are not trusted', () => {
  const poisoned = [candidate(90, { finite: false }), candidate(100, { finite: false })];
  expect(
    [10, 20, 30].map((step, _, all) =>
      fateOf(candidate(step), [...poisoned, ...all.filter((one) => one !== step).map((one) => candidate(one))]),
    ),
  ).toEqual(['goes: older', 'newest', 'newest']);
  const rolledBack = choosePrunable(
    [...[10, 20, 30, 40, 50].map((step) => candidate(step))],
    [{ before: 30, upToAttempt: 1 }],
  );
  expect(rolledBack.go.map(({ checkpoint, why }) => [checkpoint.step, why])).toEqual([[30, 'not-trusted']]);
});

test('whatever lies there, nothing goes that anybody may still want, and nothing is lost or told twice', () => {
  const any = fc
    .record({
      step: fc.integer({ min: 1, max: 9 }),
      attempt: fc.integer({ min: 1, max: 3 }),
      level: fc.constantFrom('torn' as const, 'complete' as const, 'sealed' as const),
      finite: fc.boolean(),
      resumable: fc.boolean(),
      attemptLives: fc.boolean(),
      due: fc.boolean(),
      evaluated: fc.boolean(),
      pinned: fc.boolean(),
      promoted: fc.boolean(),
      isParent: fc.boolean(),
      readBy: fc.constantFrom(null, null, 't-job'),
    })
    .map(({ step, ...rest }) => {
      const made = candidate(step, rest);
      return { ...made, path: made.id };
    });
  fc.assert(
    fc.property(fc.uniqueArray(any, { selector: ({ id }) => id, maxLength: 20 }), (all) => {
      const { go, stay } = choosePrunable(all);
      expect([...go, ...stay].map(({ checkpoint }) => checkpoint.id).sort()).toEqual(all.map(({ id }) => id).sort());
      const gone = new Set(go.map(({ checkpoint }) => checkpoint.id));
      const wanted = all.filter(
        (one) =>
          one.pinned ||
          one.promoted ||
          one.isParent ||
          one.readBy !== null ||
          one.evaluated ||
          (one.level === 'torn' ? one.attemptLives : one.due),
      );
      expect(wanted.filter(({ id }) => gone.has(id))).toEqual([]);
      for (const usable of [
        all.filter(({ level }) => level !== 'torn'),
        all.filter(({ level, finite, resumable }) => level !== 'torn' && finite && resumable),
      ]) {
        const left = usable.filter(({ id }) => !gone.has(id));
        expect(left.length).toBeGreaterThanOrEqual(Math.min(2, usable.length));
        const newest = Math.max(...usable.map(({ step }) => step));
        if (usable.length > 0) expect(left.map(({ step }) => step)).toContain(newest);
      }
    }),
  );
});

test('each reason is said in words', () => {
  const { go, stay } = choosePrunable([
    candidate(1),
    candidate(2, { level: 'torn' }),
    candidate(3, { finite: false }),
    candidate(4, { pinned: true }),
    candidate(5, { promoted: true }),
    candidate(6, { isParent: true }),
    candidate(7, { readBy: 't-demo-sft-a2' }),
    candidate(8, { level: 'torn', attemptLives: true }),
    candidate(9, { evaluated: true }),
    candidate(10, { due: true }),
    ...newer,
  ]);
  expect(go.map(({ why }) => sentenceOfGo(why))).toEqual([
    'there are newer ones to go on from',
    'not complete, and its attempt is over',
    'made after numbers that were not finite',
  ]);
  expect(stay.map(({ why }) => sentenceOfKeep(why))).toEqual([
    'pinned',
    'promoted',
    'another checkpoint was made from it',
    't-demo-sft-a2 reads it',
    'its attempt may still write it',
    'evaluated',
    'due for evaluation or promotion',
    'one of the newest two',
    'one of the newest two',
  ]);
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1500, '1.5 kB'],
  [652_000, '652 kB'],
  [200e9, '200 GB'],
  [3.25e15, '3250 TB'],
])('%d bytes are %s', (bytes, want) => {
  expect(bytesText(bytes)).toBe(want);
});
