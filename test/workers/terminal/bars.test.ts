import type { JobHeartbeat } from '../../../workflows/contract.ts';
import { createScreen, duration } from '../../../workers/terminal/bars.ts';
import type { PhaseView } from '../../../workers/terminal/phase-view.ts';

const at = (seconds: number) => new Date(Date.parse('2026-11-29T10:00:00Z') + seconds * 1000);

function phase(change: Partial<PhaseView> = {}): PhaseView {
  const report = {
    phase: 'sft',
    kind: 'sft',
    state: 'running',
    attempt: 1,
    step: 0,
    of: 50,
    note: '',
    score: null,
  } as const;
  return { ...report, job: null, ...change };
}
function job(step: number, more: Partial<JobHeartbeat> = {}): JobHeartbeat {
  const numbers = { loss: 0.5, reward: null, checkpoint: null, updatedAt: at(0).toISOString() };
  const silence = { idleSeconds: 0, unseenSeconds: 0 };
  return { job: 't-sft-a1', state: 'running', step, of: 50, doing: 'training', ...numbers, ...silence, ...more };
}

/** A screen and what was written on it. */
function screenOf(isTerminal: boolean, columns = 120) {
  const written: string[] = [];
  const screen = createScreen({ write: (text) => written.push(text), isTerminal, columns: () => columns });
  return { screen, written };
}
/** The bars as they stand after these looks, a second apart. */
function lastBars(looks: readonly (readonly PhaseView[])[], columns?: number): string[] {
  const { screen, written } = screenOf(true, columns);
  looks.forEach((phases, index) => {
    screen.show(phases, at(index));
  });
  return (written.at(-1) ?? '').trimEnd().split('\n');
}

describe('bars on a terminal', () => {
  const full = '█'.repeat(24);
  const half = `${'█'.repeat(12)}${'·'.repeat(12)}`;
  const empty = '·'.repeat(24);

  test.each<{ title: string; view: PhaseView; want: string }>([
    {
      title: 'a phase that waits',
      view: phase({ state: 'waiting', attempt: 0, of: 0 }),
      want: `sft      ${empty} waiting    `,
    },
    {
      title: 'a job in the middle',
      view: phase({ job: job(25) }),
      want: `sft      ${half} running    attempt 1  25/50  training  loss 0.500`,
    },
    {
      title: 'a reward goes before a loss',
      view: phase({ job: job(25, { reward: 0.75 }) }),
      want: `sft      ${half} running    attempt 1  25/50  training  reward 0.750`,
    },
    {
      title: 'a phase that ended',
      view: phase({ state: 'completed', step: 50, score: 0.5, note: 'the highest' }),
      want: `sft      ${full} completed  attempt 1  score 0.500  the highest`,
    },
    {
      title: 'finished work',
      view: phase({ state: 'reused', attempt: 0, of: 0, note: 'of yesterday' }),
      want: `sft      ${full} reused     of yesterday`,
    },
    {
      title: 'more steps than were asked for',
      view: phase({ job: job(60) }),
      want: `sft      ${full} running    attempt 1  60/50  training  loss 0.500`,
    },
  ])('$title', ({ view, want }) => {
    expect(lastBars([[view]])[0]).toBe(want.trimEnd());
  });

  test('say how long it takes once a step has been seen, at the pace of this attempt', () => {
    const looks = [10, 10, 12].map((step) => [phase({ job: job(step) })]);
    expect(lastBars(looks)[0]).toMatch(/ {2}about 38 s left$/);
    const again = [...looks, [phase({ attempt: 2, job: job(10) })]];
    expect(lastBars(again)[0]).not.toContain('left');
  });

  test('take the place of those before, and stay below a line that is said', () => {
    const { screen, written } = screenOf(true);
    const up = (lines: number) => `\r\u001b[${String(lines)}A\u001b[J`;
    screen.show([phase(), phase({ phase: 'orpo' })], at(0));
    screen.say('a line');
    screen.show([phase()], at(1));
    screen.show([phase()], at(2));
    const [first = '', second, third, fourth] = written;
    expect(second).toBe(`${up(2)}a line\n${first}`);
    expect([third, fourth].map((text) => text?.slice(0, text.indexOf('J') + 1))).toEqual([up(2), up(1)]);
  });

  test('are never longer than the terminal is wide', () => {
    const note = 'x'.repeat(300);
    for (const line of lastBars([[phase({ state: 'held', note })]], 60)) expect(line.length).toBeLessThan(60);
  });
});

describe('plain lines elsewhere', () => {
  test('say only what changed: a state, an attempt, a quarter of the steps', () => {
    const { screen, written } = screenOf(false);
    const looks: PhaseView[] = [
      phase({ state: 'waiting' }),
      phase({ job: job(1) }),
      phase({ job: job(2) }),
      phase({ job: job(13) }),
      phase({ attempt: 2, job: job(10) }),
      phase({ attempt: 2, state: 'evaluating', note: 'the last evaluations' }),
      phase({ attempt: 2, state: 'completed', step: 50, score: 0.5, note: 'the highest' }),
      phase({ attempt: 2, state: 'completed', step: 50, score: 0.5, note: 'the highest' }),
    ];
    looks.forEach((view, index) => {
      screen.show([view], at(index));
    });
    screen.say('done');
    expect(written).toEqual([
      'sft: running, attempt 1  1/50  training  loss 0.500\n',
      'sft: running, attempt 1  13/50  training  loss 0.500\n',
      'sft: running, attempt 2  10/50  training  loss 0.500\n',
      'sft: evaluating, attempt 2  the last evaluations\n',
      'sft: completed, attempt 2  score 0.500  the highest\n',
      'done\n',
    ]);
  });

  test('hold no control characters', () => {
    const { screen, written } = screenOf(false);
    screen.show([phase()], at(0));
    screen.show([phase({ state: 'held', note: 'why' })], at(1));
    expect(written.join('')).not.toContain('\u001b');
  });
});

test.each([
  { seconds: 0.4, want: '0 s' },
  { seconds: 59.4, want: '59 s' },
  { seconds: 59.6, want: '1 min 0 s' },
  { seconds: 754, want: '12 min 34 s' },
])('$seconds seconds are $want', ({ seconds, want }) => {
  expect(duration(seconds)).toBe(want);
});
