import { nextAttemptOf } from '../../activities/aftermath.ts';
import type { CheckpointRecord } from '../../store/ledger/checkpoints.ts';
import type { IncidentRecord } from '../../store/ledger/incidents.ts';
import { evidence, incident } from '../support/builders.ts';

/** Attempt 2 ran for an hour, until 10:00. */
const failed: IncidentRecord = {
  workflowId: 'demo',
  runId: 'run-1',
  phase: 'sft',
  purpose: 'train',
  incident: incident('killed').build(2),
  evidence: evidence().but({ ranSeconds: 3600 }).build(),
  at: '2026-11-29T10:05:00.000Z',
};
const path = '/store/checkpoint-400';
const saved = (attempt: number, createdAt: string) => ({ path, attempt, createdAt }) as CheckpointRecord;
const attempt = (number: number, resume: object | null, nodes: string[] = []) => ({
  number,
  request: { resume },
  evidence:
    nodes.length === 0
      ? null
      : evidence()
          .ranks(...nodes.map((node) => ({ node })))
          .build(),
});

test.each([
  {
    title: 'its own checkpoint: what came after it is lost',
    checkpoints: [saved(2, '2026-11-29T09:48:00.000Z')],
    want: { number: 3, resumeStep: 400, nodes: [], lostSeconds: 720 },
  },
  {
    title: 'a checkpoint from before that attempt: all of it is lost',
    checkpoints: [saved(1, '2026-11-29T08:00:00.000Z')],
    want: { number: 3, resumeStep: 400, nodes: [], lostSeconds: 3600 },
  },
])('an attempt that goes on from $title', ({ checkpoints, want }) => {
  const attempts = [attempt(4, null), attempt(3, { path, step: 400 }), attempt(2, null)];
  expect(nextAttemptOf(failed, attempts, checkpoints)).toEqual(want);
});

test('an attempt that begins anew has lost all, and is said to be where it ran', () => {
  expect(nextAttemptOf(failed, [attempt(3, null, ['gpu-8', 'gpu-9', 'gpu-8'])], [])).toEqual({
    number: 3,
    resumeStep: 0,
    nodes: ['gpu-8', 'gpu-9'],
    lostSeconds: 3600,
  });
});

test('nothing follows the newest attempt, nor an evaluation', () => {
  expect(nextAttemptOf(failed, [attempt(2, null)], [])).toBeNull();
  expect(nextAttemptOf({ ...failed, purpose: 'evaluate' }, [attempt(3, null)], [])).toBeNull();
});
