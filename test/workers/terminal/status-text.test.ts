/** What `temper status` says of phases at work: what their jobs do, and where they stand before and after. */
import type { JobHeartbeat } from '../../../workflows/contract.ts';
import type { PhaseView } from '../../../workers/terminal/phase-view.ts';
import { phasesText } from '../../../workers/terminal/status-text.ts';

const beat = (state: string): JobHeartbeat => ({
  job: 't-sft-a2',
  state,
  step: 12,
  of: 50,
  doing: 'training',
  loss: null,
  reward: null,
  checkpoint: null,
  updatedAt: '2026-11-29T10:00:00Z',
  idleSeconds: 0,
  unseenSeconds: 0,
});
const phase = (more: Partial<PhaseView>): PhaseView => ({
  phase: 'sft',
  kind: 'sft',
  state: 'running',
  attempt: 2,
  step: 10,
  of: 50,
  note: '',
  score: null,
  job: null,
  ...more,
});

test.each([
  { title: 'one that runs says what its trainer does', view: phase({ job: beat('running') }), want: '12/50  training' },
  { title: 'one in a queue', view: phase({ job: beat('queued') }), want: '12/50  queued' },
  { title: 'one whose pods come up', view: phase({ job: beat('starting') }), want: '12/50  starting' },
  { title: 'one that saves before it goes', view: phase({ job: beat('stopping') }), want: '12/50  stopping' },
  {
    title: 'one that was cancelled, with the step that it had reached',
    view: phase({ state: 'cancelled' }),
    want: '10/50',
  },
])('$title', ({ view, want }) => {
  const [, , row = ''] = phasesText([view]).split('\n');
  expect(row).toMatch(new RegExp(`^sft +sft +${view.state} +2 +${want}\\s*$`));
});

test('what is known of a phase follows', () => {
  expect(phasesText([phase({ note: 'queued: exceeded quota' })])).toMatch(
    /\n\nWhat is known:\n {2}sft: queued: exceeded quota$/,
  );
});
