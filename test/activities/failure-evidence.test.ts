import { evidenceOfFailures } from '../../activities/failure-evidence.ts';
import type { JobEvidence } from '../../decisions/job-evidence.ts';
import type { IncidentRecord } from '../../store/ledger/incidents.ts';
import { evidence, incident } from '../support/builders.ts';

const of = (attempt: number, words: number): IncidentRecord => ({
  workflowId: 'demo',
  runId: 'run-1',
  phase: 'sft',
  purpose: 'train',
  incident: incident('killed').build(attempt),
  evidence: evidence()
    .ranks({ lastLines: ['x'.repeat(words)] })
    .build(),
  at: `2026-11-29T10:0${String(attempt)}:00.000Z`,
});

test('the newest failures have room first, and what the cluster said lies beside the job', async () => {
  const kept = { uid: 'u' } as JobEvidence;
  const asked: string[] = [];
  const store = {
    jobEvidence: (directory: string) => {
      asked.push(directory);
      return Promise.resolve(kept);
    },
  };
  const [first, second, third] = [of(1, 600), of(2, 700), of(3, 10)] as const;
  const failures = [
    { record: first, directory: '/a1' },
    { record: second, directory: '/a2' },
    { record: third, directory: null },
  ];
  const found = await evidenceOfFailures(failures, { store, room: 1200 });
  expect([found.get(first), found.get(second), found.get(third)]).toMatchObject([
    'too-much',
    { cluster: kept, ranks: [{ rank: 0 }] },
    { cluster: null },
  ]);
  expect(asked).toEqual(['/a2', '/a1']);
});
