import { classify } from '../../decisions/classify.ts';
import type { FailureClass } from '../../decisions/failure.ts';
import { evidence, type EvidenceBuilder } from '../support/builders.ts';

const killed = { exitCode: null, signal: 'SIGKILL' };

function classOf(seen: EvidenceBuilder): string {
  const verdict = classify(seen.build());
  return verdict.kind === 'completed' ? 'completed' : verdict.class;
}

describe('completed', () => {
  test.each<{ title: string; seen: EvidenceBuilder }>([
    { title: 'an attempt with all the proof', seen: evidence() },
    {
      title: 'one whose job is gone, its result being there (C3, C6)',
      seen: evidence().but({ job: 'vanished', ranks: [] }),
    },
    { title: 'one that ended badly after its result', seen: evidence().ranks(killed) },
    { title: 'one that Temper stopped after its result', seen: evidence().but({ stoppedByTemper: 'shutdown' }) },
    {
      title: 'a merge, which trains no step and has no weights before',
      seen: evidence()
        .asked({ trains: false, resume: null, targetStep: 0 })
        .result({
          startStep: 0,
          finalStep: 0,
          startedFrom: { path: '/s', digest: 'digest-start' },
          weightsBefore: null,
          weightsAfter: null,
        }),
    },
    {
      title: 'one that only had to finish: its predecessor saved the last step and died before its result',
      seen: evidence()
        .asked({ resume: { path: '/s', step: 50, digest: 'digest-50' } })
        .result({
          startStep: 50,
          startedFrom: { path: '/s', digest: 'digest-50' },
          weightsBefore: 'same',
          weightsAfter: 'same',
        }),
    },
    {
      title: 'one that started at the beginning, from the start it was given',
      seen: evidence()
        .asked({ resume: null })
        .result({ startStep: 0, startedFrom: { path: '/s', digest: 'digest-start' } }),
    },
    {
      title: 'one whose resume had no seal yet, so that only its step can be compared',
      seen: evidence()
        .asked({ resume: { path: '/s', step: 20, digest: null } })
        .result({ startedFrom: null }),
    },
  ])('$title', ({ seen }) => {
    expect(classOf(seen)).toBe('completed');
  });
});

describe('exit code 0 proves nothing', () => {
  test.each<{ title: string; seen: EvidenceBuilder; want: FailureClass; rule: string }>([
    { title: 'no result at all (C20)', seen: evidence().withoutResult(), want: 'unproven', rule: 'no-result' },
    {
      title: 'the result of another attempt',
      seen: evidence().result({ attempt: 1 }),
      want: 'unproven',
      rule: 'result-of-another-job',
    },
    {
      title: 'the result of another job',
      seen: evidence().result({ job: 't-other' }),
      want: 'unproven',
      rule: 'result-of-another-job',
    },
    {
      title: 'the result of a twin',
      seen: evidence().result({ jobToken: 'token-1' }),
      want: 'unproven',
      rule: 'result-of-another-job',
    },
    {
      title: 'fewer steps than asked',
      seen: evidence().result({ finalStep: 48 }),
      want: 'unproven',
      rule: 'steps-missing',
    },
    {
      title: 'no step trained (C21)',
      seen: evidence().result({ finalStep: 20 }),
      want: 'no-progress',
      rule: 'no-step-trained',
    },
    {
      title: 'a target below the step it went on from (C21)',
      seen: evidence().asked({ targetStep: 10 }).result({ finalStep: 20 }),
      want: 'no-progress',
      rule: 'no-step-trained',
    },
    {
      title: 'a silent start from 0 (C21)',
      seen: evidence().result({ startStep: 0 }),
      want: 'resume-mismatch',
      rule: 'started-at-step',
    },
    {
      title: 'another checkpoint loaded than asked',
      seen: evidence().result({ startedFrom: { path: '/s', digest: 'digest-start' } }),
      want: 'resume-mismatch',
      rule: 'started-elsewhere',
    },
    {
      title: 'no checkpoint loaded',
      seen: evidence().result({ startedFrom: null }),
      want: 'resume-mismatch',
      rule: 'started-elsewhere',
    },
    {
      title: 'the target artifact torn',
      seen: evidence().but({ targetArtifactComplete: false }),
      want: 'unproven',
      rule: 'artifact-incomplete',
    },
    {
      title: 'a loss that was not finite on the way',
      seen: evidence().result({ finite: false }),
      want: 'not-finite',
      rule: 'metrics-not-finite',
    },
    {
      title: 'a last metric that is not finite',
      seen: evidence().result({ metrics: { loss: null } }),
      want: 'not-finite',
      rule: 'metrics-not-finite',
    },
    {
      title: 'weights that did not change',
      seen: evidence().result({ weightsAfter: 'weights-20' }),
      want: 'no-progress',
      rule: 'weights-unchanged',
    },
    {
      title: 'weights that it does not name',
      seen: evidence().result({ weightsBefore: null }),
      want: 'unproven',
      rule: 'weights-unknown',
    },
  ])('$title: $want', ({ seen, want, rule }) => {
    expect(classify(seen.build())).toMatchObject({ kind: 'failed', class: want, because: { rule } });
  });

  test('a torn artifact is a full disk when the log says so', () => {
    const seen = evidence()
      .but({ targetArtifactComplete: false })
      .ranks({ lastLines: ['OSError: [Errno 28] No space left on device'] });
    expect(classOf(seen)).toBe('disk-full');
  });
});
