import { reapText } from '../../../workers/terminal/reap-text.ts';
import type { Reaped } from '../../../workflows/contract-questions.ts';

const why = 'its workflow run closed at 2026-11-29T09:00:00.000Z';
const answer = (change: Partial<Reaped>): Reaped => ({
  answer: 'reap',
  stopped: false,
  go: [],
  stay: [],
  omitted: 0,
  ...change,
});

test.each<{ title: string; answer: Reaped; want: string }>([
  { title: 'nothing to stop', answer: answer({}), want: 'No job runs for nobody.' },
  {
    title: 'one that may go, one that stays',
    answer: answer({ go: [{ job: 't-a-a1', why }], stay: [{ job: 't-b-a1', why: 'its workflow run is open' }] }),
    want: `may go  t-a-a1: ${why}\nstays   t-b-a1: its workflow run is open\n\n1 job runs for nobody. Nothing was stopped: --yes stops it.`,
  },
  {
    title: 'two that are stopped',
    answer: answer({
      stopped: true,
      go: [
        { job: 't-a-a1', why },
        { job: 't-b-a1', why },
      ],
    }),
    want: `stops   t-a-a1: ${why}\nstops   t-b-a1: ${why}\n\n2 jobs run for nobody, and are asked to stop: trainers save first.`,
  },
])('$title', ({ answer: of, want }) => {
  expect(reapText(of)).toBe(want);
});
