import type { LeaderboardRow } from '../../../decisions/leaderboard.ts';
import { leaderboardText } from '../../../workers/terminal/leaderboard-text.ts';

function row(change: Partial<LeaderboardRow>): LeaderboardRow {
  return {
    phase: 'sft',
    checkpoint: 'demo/sft/a1/checkpoint-50',
    step: 50,
    benchmark: 'addition',
    version: 1,
    problems: 200,
    samples: 1600,
    seeds: 1,
    mean: 0.6345,
    sdOverSeeds: null,
    low: 0.6,
    high: 0.66,
    passAtK: { k: 8, value: 0.9 },
    tokensPerSample: 17.34,
    truncatedShare: 0,
    seconds: 5.25,
    gain: null,
    verdict: 'promote',
    why: 'the highest',
    ...change,
  };
}
const gain = (mean: number, low: number, high: number): LeaderboardRow['gain'] =>
  ({ mean, low, high }) as LeaderboardRow['gain'];

test('one line a candidate with its numbers, then why', () => {
  const text = leaderboardText([
    row({ phase: 'base', step: 480, mean: 0.3, low: 0.27, high: 0.33, verdict: 'none', why: '' }),
    row({ gain: gain(0.334, 0.3, 0.365) }),
    row({ phase: 'orpo', step: 20, gain: gain(-0.012, -0.03, 0.005), verdict: 'passed-over', why: 'inside the noise' }),
  ]);
  expect(text.split('\n')).toEqual([
    'phase  step  benchmark      n   mean  95 % interval  gain in points        tokens  runtime  verdict',
    '─────  ────  ─────────  ─────  ─────  ─────────────  ────────────────────  ──────  ───────  ───────────',
    'base    480  addition   200×8  0.300  0.270–0.330                            17.3    5.3 s  none',
    'sft      50  addition   200×8  0.634  0.600–0.660    +33.4 [+30.0, +36.5]    17.3    5.3 s  promote',
    'orpo     20  addition   200×8  0.634  0.600–0.660    -1.2 [-3.0, +0.5]       17.3    5.3 s  passed-over',
    '',
    'Why:',
    '  sft 50: the highest',
    '  orpo 20: inside the noise',
  ]);
});

test('a row that lacks problems says how many there are', () => {
  expect(leaderboardText([row({ problems: 150, samples: 1200, lacking: 50 })])).toContain('  150 of 200×8  ');
});

test('fits a terminal of 120 columns where names are of the usual length', () => {
  const rows = [row({ phase: 'drgrpo', step: 12_000, benchmark: 'aime-2026', gain: gain(0.334, 0.3, 0.365) })];
  for (const line of leaderboardText(rows).split('\n')) expect(line.length).toBeLessThanOrEqual(120);
});

test('nothing evaluated is a head and nothing below', () => {
  expect(leaderboardText([]).split('\n')).toHaveLength(2);
});
