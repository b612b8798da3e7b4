import { classify } from '../../decisions/classify.ts';
import type { Evidence, ObservedRun } from '../../decisions/failure.ts';
import { evidence } from '../support/builders.ts';

const observed: ObservedRun = {
  startStep: null,
  firstStep: 21,
  savedStep: 50,
  continuesHistory: true,
  weights: 'changed',
  finite: true,
  metrics: { loss: 0.2 },
};
const killed = { exitCode: null, signal: 'SIGKILL' };

/** An attempt of a foreign trainer that was told to go on from step 20, and has saved the last of 50. */
function seen(change: Partial<ObservedRun> = {}, more: Partial<Evidence> = {}): Evidence {
  const built = evidence()
    .asked({ resume: { path: '/c/checkpoint-20', step: 20, digest: null }, targetStep: 50 })
    .but({ result: null, ...more })
    .build();
  return { ...built, observed: { ...observed, ...change } };
}
const answerTo = (given: Evidence): string => {
  const verdict = classify(given);
  return verdict.kind === 'completed'
    ? `completed at ${String(verdict.finalStep)}`
    : `${verdict.class}: ${verdict.because.rule}`;
};
const target = { targetArtifactComplete: false };

test.each<{ title: string; given: Evidence; want: string }>([
  { title: 'a complete checkpoint of the last step is proof', given: seen(), want: 'completed at 50' },
  {
    title: 'also when the process was killed after it, or failed (C3)',
    given: seen({}, { ranks: evidence().ranks(killed).build().ranks }),
    want: 'completed at 50',
  },
  { title: 'also when its job is gone', given: seen({}, { job: 'vanished', ranks: [] }), want: 'completed at 50' },
  {
    title: 'an exit code of 0 is none: a checkpoint on SIGTERM, and no error (C20)',
    given: seen({ savedStep: 40 }, target),
    want: 'unproven: target-not-saved',
  },
  {
    title: 'the same after our own stop is an interruption',
    given: seen({ savedStep: 40 }, { ...target, stoppedByTemper: 'shutdown' }),
    want: 'interrupted: stopped-by-temper',
  },
  {
    title: 'a killed one has its own cause',
    given: seen({ savedStep: 40 }, { ...target, ranks: evidence().ranks(killed).build().ranks }),
    want: 'killed: signal',
  },
  {
    title: 'a log that begins at step 1 again shows that nothing was resumed (C21)',
    given: seen({ firstStep: 1, continuesHistory: null }),
    want: 'resume-mismatch: started-at-step',
  },
  {
    title: 'its own word of what it loaded goes before',
    given: seen({ startStep: 0, continuesHistory: null }),
    want: 'resume-mismatch: started-at-step',
  },
  {
    title: 'a history that is not the one of the checkpoint it was told',
    given: seen({ continuesHistory: false }),
    want: 'resume-mismatch: another-history',
  },
  {
    title: 'weights that did not change',
    given: seen({ weights: 'unchanged' }),
    want: 'no-progress: weights-unchanged',
  },
  {
    title: 'weights that nothing can be compared with are not held against it',
    given: seen({ weights: 'not-comparable' }),
    want: 'completed at 50',
  },
  {
    title: 'a loss that was not finite',
    given: seen({ finite: false, metrics: { loss: null } }),
    want: 'not-finite: metrics-not-finite',
  },
  {
    title: 'a start that nobody told of is the start it was told',
    given: seen({ firstStep: null, continuesHistory: null }),
    want: 'completed at 50',
  },
])('$title', ({ given, want }) => {
  expect(answerTo(given)).toBe(want);
});

test('an attempt that begins anew and says that it loaded something is a mismatch', () => {
  const built = evidence().asked({ resume: null, targetStep: 50 }).but({ result: null }).build();
  expect(answerTo({ ...built, observed: { ...observed, startStep: 30, continuesHistory: null } })).toBe(
    'resume-mismatch: started-at-step',
  );
});

test('an attempt whose predecessor saved the last step has only to finish', () => {
  const built = evidence()
    .asked({ resume: { path: '/c/checkpoint-50', step: 50, digest: null }, targetStep: 50 })
    .but({ result: null })
    .build();
  expect(
    answerTo({ ...built, observed: { ...observed, firstStep: null, savedStep: null, weights: 'not-comparable' } }),
  ).toBe('completed at 50');
});
