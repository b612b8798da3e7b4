import { reapText } from '../../../workers/terminal/reap-text.ts';
import type { Reaped } from '../../../workflows/contract-questions.ts';

const why = 'its workflow run closed at 2026-11-29T09:00:00.000Z';
const open = { job: 't-o-a1', why: 'its workflow run is open' };
const going = (job: string, outcome: Reaped['go'][number]['outcome'] = null) => ({ job, why, outcome });
const answer = (change: Partial<Reaped>, counts: Partial<Reaped['counts']> = {}): Reaped => ({
  answer: 'reap',
  stopped: false,
  go: [],
  stay: [],
  counts: { go: 0, stay: 0, stopped: 0, stopping: 0, refused: 0, ...counts },
  ...change,
});

test.each<{ title: string; answer: Reaped; want: readonly string[] }>([
  { title: 'no job', answer: answer({}), want: ['No job runs.'] },
  {
    title: 'nothing to stop',
    answer: answer({ stay: [open] }, { stay: 1 }),
    want: [
      'stays    t-o-a1: its workflow run is open',
      '',
      'Every job’s workflow run is open, closed lately or unknown.',
    ],
  },
  {
    title: 'one that may go, one that stays',
    answer: answer({ go: [going('t-a-a1')], stay: [open] }, { go: 1, stay: 1 }),
    want: [
      `may go   t-a-a1: ${why}`,
      'stays    t-o-a1: its workflow run is open',
      '',
      '1 job runs for nobody. Nothing was stopped: --yes stops it.',
    ],
  },
  {
    title: 'more than the lists hold, each kind by itself',
    answer: answer({ go: [going('t-a-a1')], stay: [open] }, { go: 401, stay: 403 }),
    want: [
      `may go   t-a-a1: ${why}`,
      '… and 400 more that run for nobody',
      'stays    t-o-a1: its workflow run is open',
      '… and 402 more that stay',
      '',
      '401 jobs run for nobody. Nothing was stopped: --yes stops them.',
    ],
  },
  {
    title: 'what became of each stop',
    answer: answer(
      {
        stopped: true,
        go: [
          going('t-a-a1', { kind: 'stopped' }),
          going('t-b-a1', { kind: 'stopping' }),
          going('t-c-a1', { kind: 'refused', because: 'the server says no' }),
        ],
      },
      { go: 3, stopped: 1, stopping: 1, refused: 1 },
    ),
    want: [
      `stopped  t-a-a1: ${why}`,
      `saves    t-b-a1: ${why}`,
      `runs on  t-c-a1: ${why}; it could not be stopped: the server says no`,
      '',
      '3 jobs run for nobody:',
      '  1 stopped',
      '  1 asked to stop, still saving: temper reap lists what is not gone',
      '  1 could not be stopped: the worker tries again each minute',
    ],
  },
])('$title', ({ answer: of, want }) => {
  expect(reapText(of).split('\n')).toEqual(want);
});
