import fc from 'fast-check';
import { chooseResumePoint, type ResumeCandidate } from '../../decisions/resume-point.ts';
import { resumeCandidate } from '../support/builders.ts';

test.each<{ title: string; seen: ResumeCandidate[]; before?: number; want: string; skipped?: string[] }>([
  { title: 'nothing: the phase starts at its start', seen: [], want: 'restart' },
  {
    title: 'the newest one',
    seen: [resumeCandidate(10), resumeCandidate(30), resumeCandidate(20)],
    want: 'demo/sft/a1/checkpoint-30',
  },
  {
    title: 'the newest that is complete, naming the torn one (C22)',
    seen: [
      resumeCandidate(20, { level: 'complete' }),
      resumeCandidate(25, { level: 'torn', damage: 'trainer_state.json is missing' }),
    ],
    want: 'demo/sft/a1/checkpoint-20',
    skipped: ['torn'],
  },
  {
    title: 'the newest that can be gone on from: weights alone are no resume',
    seen: [resumeCandidate(20), resumeCandidate(25, { resumable: false })],
    want: 'demo/sft/a1/checkpoint-20',
    skipped: ['weights-only'],
  },
  {
    title: 'the newest before numbers went wrong',
    seen: [resumeCandidate(20), resumeCandidate(25, { finite: false })],
    want: 'demo/sft/a1/checkpoint-20',
    skipped: ['not-finite'],
  },
  {
    title: 'one before the step that is rolled back to',
    seen: [resumeCandidate(20), resumeCandidate(30), resumeCandidate(40)],
    before: 30,
    want: 'demo/sft/a1/checkpoint-20',
    skipped: ['rolled-back', 'rolled-back'],
  },
  {
    title: 'what a later attempt made of the steps that were rolled back',
    seen: [resumeCandidate(20), resumeCandidate(40), resumeCandidate(30, { id: 'a2', attempt: 2 })],
    before: 30,
    want: 'a2',
    skipped: ['rolled-back'],
  },
  {
    title: 'none, when all are damaged',
    seen: [resumeCandidate(20, { level: 'torn' }), resumeCandidate(10, { level: 'torn' })],
    want: 'restart',
    skipped: ['torn', 'torn'],
  },
  {
    title: 'the sealed one of two at the same step',
    seen: [resumeCandidate(20, { id: 'a2', level: 'complete' }), resumeCandidate(20, { id: 'a1' })],
    want: 'a1',
  },
])('chooses $title', ({ seen, before, want, skipped = [] }) => {
  const point = chooseResumePoint(seen, before === undefined ? {} : { rollBacks: [{ before, upToAttempt: 1 }] });
  expect(point.kind === 'resume' ? point.checkpoint.id : point.kind).toBe(want);
  expect(point.skipped.map((one) => one.why.rule)).toEqual(skipped);
});

test('gives the same answer in whatever order checkpoints are listed, and never one that may not be trusted', () => {
  const candidate = fc
    .record({
      step: fc.integer({ min: 0, max: 5 }),
      attempt: fc.integer({ min: 1, max: 3 }),
      level: fc.constantFrom('torn' as const, 'complete' as const, 'sealed' as const),
      resumable: fc.boolean(),
      finite: fc.boolean(),
    })
    .map(({ step, attempt, ...rest }) => resumeCandidate(step, { id: `a${attempt}/checkpoint-${step}`, ...rest }));
  const listed = fc.uniqueArray(candidate, { selector: (one) => one.id });
  fc.assert(
    fc.property(listed, fc.func(fc.integer()), (seen, key) => {
      const shuffled = [...seen].sort((a, b) => key(a.id) - key(b.id));
      const point = chooseResumePoint(seen);
      expect(chooseResumePoint(shuffled)).toEqual(point);
      const trusted = seen.filter((one) => one.level !== 'torn' && one.resumable && one.finite);
      const newest = Math.max(...trusted.map((one) => one.step));
      if (trusted.length === 0) expect(point.kind).toBe('restart');
      else expect(point).toMatchObject({ kind: 'resume', checkpoint: { step: newest } });
    }),
  );
});
