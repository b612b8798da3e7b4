import fc from 'fast-check';
import { type JobOwner, jobName, slug } from '../../decisions/job-name.ts';
import { refusalOf } from '../support/builders.ts';

const owner = (change: Partial<JobOwner> = {}): JobOwner => ({
  workflowId: 'demo/sft',
  phase: 'sft',
  attempt: 1,
  ...change,
});

describe('jobName', () => {
  test('reads as pipeline, phase and attempt, and never changes', () => {
    expect(jobName(owner({ attempt: 2 }))).toMatch(/^t-demo-sft-[a-z0-9]{8}-a2$/);
    expect(jobName(owner())).toBe('t-demo-sft-g1wwnxgf-a1');
  });

  test('is a DNS label of at most 52 characters, whatever the ids are', () => {
    const ids = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.stringMatching(/^[A-Z_.-]{0,90}$/),
    );
    fc.assert(
      fc.property(ids, ids, fc.integer({ min: 1, max: 1_000_000 }), (workflowId, phase, attempt) => {
        const name = jobName({ workflowId, phase, attempt });
        expect(name.length).toBeLessThanOrEqual(52);
        expect(name).toMatch(/^[a-z]([-a-z0-9]*[a-z0-9])?$/);
        expect(jobName({ workflowId, phase, attempt })).toBe(name);
      }),
    );
  });

  test.each<{ title: string; a: Partial<JobOwner>; b: Partial<JobOwner> }>([
    {
      title: 'ids that differ only in what a slug drops',
      a: { workflowId: 'night run' },
      b: { workflowId: 'night_run' },
    },
    { title: 'ids in scripts that a slug drops whole', a: { workflowId: '夜間' }, b: { workflowId: '昼間' } },
    { title: 'ids that differ in case', a: { workflowId: 'Demo' }, b: { workflowId: 'demo' } },
    {
      title: 'a dash that moves from one part to the other',
      a: { workflowId: 'a-b', phase: 'c' },
      b: { workflowId: 'a', phase: 'b-c' },
    },
    {
      title: 'ids that differ after the 80th character',
      a: { workflowId: `${'x'.repeat(80)}1` },
      b: { workflowId: `${'x'.repeat(80)}2` },
    },
    { title: 'attempts', a: { attempt: 1 }, b: { attempt: 11 } },
  ])('tells apart $title', ({ a, b }) => {
    expect(jobName(owner(a))).not.toBe(jobName(owner(b)));
  });

  test('names 50,000 owners that slug alike without a collision', () => {
    const names = new Set(
      Array.from({ length: 50_000 }, (_, index) =>
        jobName(owner({ workflowId: `demo${'!'.repeat(index % 7)}/${index}`, phase: '#' })),
      ),
    );
    expect(names.size).toBe(50_000);
  });

  test('shortens the workflow before the phase', () => {
    expect(jobName(owner({ workflowId: 'a'.repeat(90), phase: 'drgrpo' }))).toMatch(/^t-a+-drgrpo-[a-z0-9]{8}-a1$/);
  });

  test.each([0, -1, 1.5, NaN])('refuses the attempt number %p', (attempt) => {
    expect(refusalOf(() => jobName(owner({ attempt })))).toBe('invalid-input');
  });
});

test.each([
  { text: 'Überlauf im Lauf_2', want: 'uberlauf-im-lauf-2' },
  { text: '--a--b--', want: 'a-b' },
  { text: '夜間', want: '' },
  { text: `${'a'.repeat(39)}-b`, want: 'a'.repeat(39) },
])('slug of $text', ({ text, want }) => {
  expect(slug(text)).toBe(want);
});
