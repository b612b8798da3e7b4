/** A gate that looks at a benchmark which is scored outside: it waits for what is lacking, and counts what is there with its own n. */
import type { GateStage } from '../../configs/schema.ts';
import { gateStage } from '../../configs/schema-fields.ts';
import { type GateInput, judgeGate } from '../../decisions/gate.ts';
import { sentencesOfStage, sentenceOfVerdict } from '../../decisions/gate-sentences.ts';
import { evidenceOfScores, type OutsideScore } from '../../decisions/outside-score.ts';
import { gateInput, c10, c20, c30, level, parent } from '../support/gate-builders.ts';
import { evaluation } from '../support/builders.ts';

let scores = 0;
function score(checkpoint: string, change: Partial<OutsideScore> = {}): OutsideScore {
  scores += 1;
  const nothing = { deviation: null, standardError: null, place: null, runtime: null, corrects: null };
  const told = { checkpoint, benchmark: 'public', version: 1, score: null, problems: 50, runs: 1, source: '' };
  return { ...nothing, ...told, id: `s${String(scores)}`, by: 'ann', note: '', at: '2026-11-29T10:00:00Z', ...change };
}
const right = (checkpoint: string, of50: number) => score(checkpoint, { score: of50 / 50 });
const stage = (document: object): GateStage => gateStage.parse(document);

function judge(stages: readonly object[], told: readonly OutsideScore[], change: Partial<GateInput> = {}) {
  return judgeGate({
    ...gateInput(),
    evaluate: { benchmarks: [], seeds: 1, maxSeeds: 3 },
    stages: stages.map(stage),
    outsideBenchmarks: ['public'],
    outside: evidenceOfScores(told),
    ...change,
  });
}

const compare = { compare: { benchmark: 'public' } };
const byMean = { compare: { benchmark: 'public', by: 'mean' } };

test('holds while a candidate has no score, and names it with the command that brings it', () => {
  const verdict = judge([compare], [right('c20', 40)]);
  expect(verdict).toMatchObject({ kind: 'hold', because: { rule: 'outside-scores', checkpoints: ['c10'] } });
  expect(sentenceOfVerdict(verdict)).toBe(
    'Held: public is scored outside, and has no score of c10. It goes on when they are there: temper record-score c10 public <score>. Once released, it goes on without.',
  );
});

test('asks for the scores of those alone that the stages before let through', () => {
  const limit = { require: { runtimeAtMost: { benchmark: 'public', minutes: 300, marginMinutes: 30 } } };
  const times = [score('c10', { runtime: 253 }), score('c20', { runtime: 342 }), score('c30', { runtime: 'kept' })];
  const candidates = [c10, c20, c30];
  expect(judge([limit, compare], times, { candidates })).toMatchObject({
    because: { lacks: 'score', checkpoints: ['c10', 'c30'] },
  });
  expect(judge([limit, compare], times.slice(0, 2), { candidates })).toMatchObject({
    because: { lacks: 'runtime', checkpoints: ['c30'] },
  });
});

test('a bound by the parent needs its score too', () => {
  const bound = { require: { notWorseThanParent: { benchmark: 'public', margin: 0.02 } } };
  const told = [right('c10', 40), right('c20', 10)];
  expect(judge([bound], told)).toMatchObject({ kind: 'hold', because: { checkpoints: [parent.id] } });
  expect(judge([bound], [...told, right(parent.id, 20)])).toMatchObject({ kind: 'promote', checkpoint: { id: 'c10' } });
});

test('scores count with their n: far apart they decide, near each other more runs are needed', () => {
  expect(judge([compare], [right('c10', 45), right('c20', 20)])).toMatchObject({
    kind: 'promote',
    checkpoint: { id: 'c10' },
    score: 0.9,
  });
  const near = judge([compare], [right('c10', 40), right('c20', 39)]);
  expect(near).toMatchObject({ kind: 'more-evaluations', missing: [] });
  expect(sentenceOfVerdict(near)).toContain('scores from outside are needed');
});

test('a standard error that is told counts instead of one that is guessed from n', () => {
  const sure = (checkpoint: string, of50: number) => score(checkpoint, { score: of50 / 50, standardError: 0.001 });
  expect(judge([compare], [sure('c10', 40), sure('c20', 39)])).toMatchObject({ kind: 'promote' });
});

test('an evaluation in which every problem scores alike is as unsure as so many answers, beside a score from outside', () => {
  const told = (of50: number) => [score('c20', { benchmark: 'addition', score: of50 / 50, standardError: 0.005 })];
  const outcomesBeside = (of50: number) =>
    judge([], told(of50), {
      ...gateInput({ seen: [evaluation('c10').scoring(level(4))] }),
      stages: [stage({ compare: { benchmark: 'addition' } })],
    }).stages.flatMap(({ lines }) => lines.map((line) => [line.checkpoint, 'outcome' in line && line.outcome]));
  expect(outcomesBeside(48)).toEqual([
    ['c10', 'highest'],
    ['c20', 'tied'],
  ]);
  expect(outcomesBeside(40)).toEqual([
    ['c10', 'highest'],
    ['c20', 'below'],
  ]);
});

test('places put in order by the mean, and are no evidence', () => {
  const places = [score('c10', { place: 1 }), score('c20', { place: 2 })];
  expect(judge([byMean], places)).toMatchObject({ kind: 'promote', checkpoint: { id: 'c10' }, score: null });
  expect(judge([compare], places)).toMatchObject({ kind: 'hold', because: { checkpoints: ['c10', 'c20'] } });
});

test('of two scores the numbers say more than the places', () => {
  const told = [right('c10', 30), right('c20', 45), score('c10', { place: 1 }), score('c20', { place: 2 })];
  expect(judge([byMean], told)).toMatchObject({ checkpoint: { id: 'c20' } });
});

test('a corrected score counts no more, whatever the order in which they came', () => {
  const wrong = right('c10', 5);
  const told = [wrong, score('c10', { score: 0.9, corrects: wrong.id, note: 'another split' }), right('c20', 30)];
  expect(judge([byMean], told)).toMatchObject({ checkpoint: { id: 'c10' }, score: 0.9 });
  expect(judge([byMean], told.toReversed())).toEqual(judge([byMean], told));
});

describe('released, it goes on', () => {
  const releases = [{ stage: 0, contenders: ['c10', 'c20'] }];

  test('with what is there', () => {
    expect(judge([byMean], [right('c20', 40)], { releases })).toMatchObject({ checkpoint: { id: 'c20' } });
    expect(judge([compare], [right('c20', 40)], { releases })).toMatchObject({ checkpoint: { id: 'c20' } });
  });

  test.each([{ stages: [byMean] }, { stages: [compare] }, { stages: [{ rank: { by: 'public' } }] }])(
    'with the newest where nothing is there: $stages',
    ({ stages }) => {
      const verdict = judge(stages, [], { releases });
      expect(verdict).toMatchObject({ kind: 'promote', checkpoint: { id: 'c20' }, because: { rule: 'newest' } });
      expect(verdict.stages.flatMap((one) => sentencesOfStage(one))).toEqual([
        expect.stringMatching(/on public.*: nobody told anything on public\.$/),
      ]);
    },
  );

  test('but not for another stage, nor for a candidate that came later', () => {
    expect(judge([byMean], [], { releases, candidates: [c10, c20, c30] })).toMatchObject({ kind: 'hold' });
    expect(judge([byMean], [], { releases: [{ stage: 1, contenders: ['c10', 'c20'] }] })).toMatchObject({
      kind: 'hold',
    });
  });
});

test('beside a benchmark that jobs evaluate, their evaluations are asked for first', () => {
  const mixed = { evaluate: { benchmarks: ['addition'], seeds: 1, maxSeeds: 3 }, parent: null };
  const stages = [{ rank: { by: 'addition' } }, compare];
  expect(judge(stages, [], mixed)).toMatchObject({ kind: 'more-evaluations', because: { rule: 'first-seeds' } });
  const seen = ['c10', 'c20'].map((name) => evaluation(name).scoring(level(2)).build());
  expect(judge(stages, [], { ...mixed, evaluations: seen })).toMatchObject({
    kind: 'hold',
    because: { rule: 'outside-scores' },
    stages: [{ stage: 'rank' }],
  });
});
