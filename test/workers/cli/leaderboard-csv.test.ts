import { leaderboardCsv } from '../../../workers/cli/leaderboard-csv.ts';
import type { LedgerRow } from '../../../workflows/contract-questions.ts';

const row: LedgerRow = {
  pipeline: 'demo',
  phase: 'sft',
  checkpoint: 'demo/sft/a1/checkpoint-50',
  step: 50,
  benchmark: 'addition',
  version: 1,
  problems: 200,
  samples: 1600,
  seeds: 1,
  mean: 0.5,
  sdOverSeeds: null,
  low: 0.4,
  high: 0.6,
  passAtK: { k: 8, value: 0.9 },
  majorityAtK: 0.7,
  tokensPerSample: 17,
  tokensP95: 22,
  truncatedShare: 0,
  seconds: 5,
  run: { p50: 5, p95: 6 },
  gain: { mean: -0.1, low: -0.2, high: 0, n: 200 },
  verdict: 'promote',
  why: 'the highest',
};

test('columns keep their names and their order', () => {
  expect(leaderboardCsv([row]).split('\r\n')).toEqual([
    'pipeline,phase,checkpoint,step,benchmark,version,problems,lacking,samples,seeds,mean,sd_over_seeds,low,high,k,majority_at_k,pass_at_k,gain,gain_low,gain_high,tokens_per_sample,tokens_p95,truncated_share,run_seconds_p50,run_seconds_p95,verdict,why,scored_by,timed_out_share,from,runs,place,runtime,sources,shrunken,shrunken_low,shrunken_high,looked_at',
    'demo,sft,demo/sft/a1/checkpoint-50,50,addition,1,200,0,1600,1,0.5,,0.4,0.6,8,0.7,0.9,-0.1,-0.2,0,17,22,0,5,6,promote,the highest,sample,0,evaluation,,,,,,,,',
    '',
  ]);
});

test.each([
  { why: 'first, then earlier', want: '"first, then earlier"' },
  { why: 'it said "no"', want: '"it said ""no"""' },
  { why: 'two\nlines', want: '"two\nlines"' },
  { why: '=HYPERLINK("http://x")', want: '"\'=HYPERLINK(""http://x"")"' },
  { why: '@SUM(1)', want: "'@SUM(1)" },
  { why: '-1+1', want: "'-1+1" },
  { why: '+1', want: "'+1" },
])('$why becomes $want', ({ why, want }) => {
  expect(leaderboardCsv([{ ...row, why }]).endsWith(`,promote,${want},sample,0,evaluation,,,,,,,,\r\n`)).toBe(true);
});

test('what is not known is empty', () => {
  const { gain: _gain, run: _run, majorityAtK: _majority, ...least } = row;
  expect(leaderboardCsv([{ ...least, gain: null, run: null, lacking: 3 }])).toContain(
    ',200,3,1600,1,0.5,,0.4,0.6,8,,0.9,,,,17,22,0,,,promote,',
  );
});

test('votes and what was not done in time stand at the end', () => {
  expect(leaderboardCsv([{ ...row, byVote: true, timedOutShare: 0.25 }])).toContain(
    ',the highest,vote,0.25,evaluation,,,,,,,,\r\n',
  );
});

test('a score from outside is a line that says so; what evaluations have beside is empty', () => {
  const score = { mean: 0.8, low: 0.67, high: 0.89, runs: 2, problems: 50 };
  const told = { phase: 'sft', checkpoint: 'c', step: 50, benchmark: 'public', version: 1, score };
  const outside = { ...told, pipeline: 'demo', place: 3, runtime: 'kept' as const, sources: ['round 3', 'round 4'] };
  expect(leaderboardCsv([], [outside]).split('\r\n')[1]).toBe(
    'demo,sft,c,50,public,1,50,,,,0.8,,0.67,0.89,,,,,,,,,,,,,,,,outside,2,3,kept,round 3; round 4,,,,',
  );
});

test('tokens and times that another harness did not tell are empty', () => {
  const imported = { ...row, tokensPerSample: null, tokensP95: null, seconds: 0, run: { p50: 0, p95: 0 } };
  expect(leaderboardCsv([imported])).toContain(',0,,,,,,promote,');
});

test('what is left of a score after shrinkage stands at the end', () => {
  const shrunken = { mean: 0.48, low: 0.41, high: 0.55, lookedAt: 9 };
  expect(leaderboardCsv([{ ...row, shrunken }])).toContain(',evaluation,,,,,0.48,0.41,0.55,9\r\n');
});
