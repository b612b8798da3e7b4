/** What a person takes back counts nowhere from then on, and is said to be withdrawn where somebody would look for it. */
import { createHash } from 'node:crypto';
import { answerActivities } from '../../activities/answers.ts';
import type { ImportedResult } from '../../configs/schema-import.ts';
import type {
  ComparisonAnswer,
  Explanation,
  ImportedEvaluations,
  LeaderboardAnswer,
  Question,
  RecordedScore,
} from '../../workflows/contract-questions.ts';
import type { WithdrawnEvidence } from '../../decisions/withdrawal.ts';
import { type ActivityBench, contextOf, runId } from '../support/activity-bench.ts';
import { benchBeforeItsGate, checkpointAt as id, phase, recipe } from '../support/before-its-gate.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await benchBeforeItsGate();
});
afterEach(() => bench.close());

const digest = (letter: string) => createHash('sha256').update(letter).digest('hex');
const file = (right: string, letter = 'a'): ImportedResult => ({
  ...{ tool: 'lm-eval', task: 'gsm8k', metric: 'exact_match', settings: {}, source: `samples_${right}.jsonl` },
  ...{ digest: digest(letter), run: { digest: digest(letter), parts: 1 } },
  found: { kind: 'outcomes', problems: Array.from(right, (__, index) => `p${String(index)}`), right },
});
const ask = <Answer>(question: Question) =>
  answerActivities(bench.dependencies).answerQuestion(question) as Promise<Answer>;
const bring = (results: readonly ImportedResult[], more: { checkpoint?: string; benchmark?: string } = {}) =>
  ask<ImportedEvaluations>({ question: 'import-eval', checkpoint: id(50), by: 'ann', ...more, results });
const score = (more: { checkpoint?: string; score?: string; corrects?: string | undefined; note?: string } = {}) =>
  ask<RecordedScore>({
    question: 'record-score',
    score: { checkpoint: id(50), benchmark: 'public', score: '3/4', by: 'ann', ...more },
  });
const withdraw = (what: string | undefined, by = 'bob') =>
  ask<WithdrawnEvidence>({ question: 'withdraw', id: what ?? '', by, note: 'wrong checkpoint' });
const board = () => ask<LeaderboardAnswer>({ question: 'leaderboard', pipeline: 'demo' });
const judge = () => bench.as(runId).judgeGate({ context: contextOf({ phase, benchmarks: recipe.benchmarks }) });
const storyOf = async () => {
  const { phases } = await ask<Explanation>({ question: 'explain', pipeline: 'demo' });
  return phases.flatMap(({ events }) => events);
};

test('an import is gone from the leaderboard and from compare, which say by whom it was withdrawn and why; explain tells both', async () => {
  await bring([file('1100', 'b')], { checkpoint: id(40) });
  const { evaluations } = await bring([file('1101')]);
  const own = evaluations[0]?.id;
  expect(evaluations[0]?.sentence).toMatch(
    new RegExp(`^Imported as ${own ?? ''}: lm-eval-gsm8k, version 1, 75\\.0 % of 4`),
  );
  const { sentence } = await withdraw(own);
  expect(sentence).toBe(`Withdrawn ${own ?? ''}: the import lm-eval-gsm8k, version 1, of ${id(50)} counts no longer.`);
  const { rows, withdrawn, withdrawnOmitted } = await board();
  expect(rows).toMatchObject([{ checkpoint: id(40), mean: 0.5 }]);
  const said = { id: own, checkpoint: id(50), benchmark: 'lm-eval-gsm8k', by: 'bob', note: 'wrong checkpoint' };
  expect([withdrawn, withdrawnOmitted]).toMatchObject([[said], 0]);
  const comparing = ask<ComparisonAnswer>({ question: 'compare', first: id(40), second: id(50) });
  await expect(comparing).rejects.toThrow(
    `${id(50)}: never evaluated. Withdrawn: lm-eval-gsm8k, version 1, of ${id(50)} (${own ?? ''}): by bob at 2026-11-29 10:00 UTC: wrong checkpoint`,
  );
  const events = await storyOf();
  expect(events.filter(({ about }) => about === 'import').map(({ lines }) => lines)).toContainEqual([
    `Its id: ${own ?? ''}`,
  ]);
  expect(events.find(({ about }) => about === 'withdraw')?.sentence).toBe(
    `Withdrawn: lm-eval-gsm8k, version 1, of ${id(50)} (${own ?? ''}): by bob at 2026-11-29 10:00 UTC: wrong checkpoint.`,
  );
});

test('the score that its file brought goes with it: a gate that waits is told and no longer counts it', async () => {
  const { evaluations, scores } = await bring([file('1101')], { benchmark: 'public' });
  expect(await judge()).toMatchObject({ kind: 'promote', checkpoint: { id: id(50) } });
  const gone = await withdraw(evaluations[0]?.id);
  expect(gone.withdrawn).toEqual([evaluations[0]?.id, scores[0]?.id]);
  expect(gone.wakes).toEqual(['demo/sft']);
  expect(gone.sentence).toContain('Verdicts of sft counted with it, and stay as they were decided');
  expect(gone.shows).toMatchObject([
    { rows: [], outside: { rows: [], changed: { keys: [{ benchmark: 'lm-eval-gsm8k' }, { benchmark: 'public' }] } } },
  ]);
  expect(await judge()).toMatchObject({ kind: 'hold' });
  expect((await board()).outside).toEqual([]);
});

test('what the right file says stays beside it: the row is of what still counts', async () => {
  await bring([file('1111', 'b')]);
  const { evaluations } = await bring([file('0000')]);
  expect((await board()).rows).toMatchObject([{ seeds: 2, mean: 0.5 }]);
  const { shows } = await withdraw(evaluations[0]?.id);
  expect(shows).toMatchObject([{ rows: [{ seeds: 1, mean: 1 }] }]);
  expect((await board()).rows).toMatchObject([{ seeds: 1, mean: 1 }]);
});

test('twice is once: the second is told by whom and when; brought again it counts again, and is withdrawn again', async () => {
  const first = await bring([file('1101')], { benchmark: 'public' });
  await withdraw(first.evaluations[0]?.id);
  bench.pass(60);
  const again = await withdraw(first.evaluations[0]?.id, 'carl');
  expect(again.withdrawn).toEqual([]);
  expect(again.sentence).toMatch(/^Nothing new: .* was withdrawn by bob at 2026-11-29 10:00 UTC\.$/);
  const second = await bring([file('1101')], { benchmark: 'public' });
  expect([second.evaluations, second.scores]).toMatchObject([[{ recorded: true }], [{ recorded: true }]]);
  expect(second.evaluations[0]?.id).not.toBe(first.evaluations[0]?.id);
  expect((await bring([file('1101')], { benchmark: 'public' })).scores).toMatchObject([{ recorded: false }]);
  expect((await board()).rows).toMatchObject([{ seeds: 1, mean: 0.75 }]);
  expect((await board()).outside).toMatchObject([{ score: { runs: 1, mean: 0.75 } }]);
  await withdraw(second.evaluations[0]?.id);
  expect((await board()).rows).toEqual([]);
});

test('whoever asks again, since the first time came to nothing, has the gate told and the pages: what is gone is gone for them too', async () => {
  const { evaluations } = await bring([file('1101')], { benchmark: 'public' });
  await judge();
  const first = await withdraw(evaluations[0]?.id);
  const again = await withdraw(evaluations[0]?.id);
  expect(first.wakes).toEqual(['demo/sft']);
  expect(again).toMatchObject({ withdrawn: [], wakes: first.wakes, shows: first.shows });
  expect(again.sentence).toContain('Verdicts of sft counted with it');
  const told = await score({ score: '2/4' });
  await withdraw(told.id);
  expect((await withdraw(told.id)).wakes).toEqual(['demo/sft']);
});

test('asked again after a try that ended between an import and its score, both are gone and explain tells of both', async () => {
  const { evaluations, scores } = await bring([file('1101')], { benchmark: 'public' });
  const { ledger } = bench.dependencies;
  const recorded: string[] = [];
  bench.dependencies.ledger = {
    ...ledger,
    recordDecision: (decision) => {
      recorded.push(decision.key);
      return recorded.length === 2
        ? Promise.reject(new Error('the database is gone'))
        : ledger.recordDecision(decision);
    },
  };
  await expect(withdraw(evaluations[0]?.id)).rejects.toThrow('the database is gone');
  bench.dependencies.ledger = ledger;
  await withdraw(evaluations[0]?.id);
  const told = (await storyOf()).filter(({ about }) => about === 'withdraw').map(({ sentence }) => sentence);
  expect(told).toEqual([
    expect.stringContaining(evaluations[0]?.id ?? ''),
    expect.stringContaining(scores[0]?.id ?? ''),
  ]);
  expect((await board()).outside).toEqual([]);
});

test('a score of the file that was corrected stays, and it is said by what', async () => {
  const { evaluations, scores } = await bring([file('1101')], { benchmark: 'public' });
  const right = await score({ score: '2/4', corrects: scores[0]?.id, note: 'two were guessed' });
  const { withdrawn, sentence } = await withdraw(evaluations[0]?.id);
  expect(withdrawn).toEqual([evaluations[0]?.id]);
  expect(sentence).toContain(
    `Left as it is: score "${scores[0]?.id ?? ''}" was corrected, by "${right.id}": withdraw that one, where it is wrong too.`,
  );
  expect((await board()).outside).toMatchObject([{ score: { mean: 0.5 } }]);
});

test('an import that was brought again is not touched by who takes back the first once more', async () => {
  const first = await bring([file('1101')], { benchmark: 'public' });
  await withdraw(first.evaluations[0]?.id);
  bench.pass(60);
  await bring([file('1101')], { benchmark: 'public' });
  expect(await withdraw(first.evaluations[0]?.id)).toMatchObject({ withdrawn: [] });
  expect((await board()).outside).toMatchObject([{ score: { mean: 0.75 } }]);
});

test('a score from outside is withdrawn by its id, also where it stands for another; what is corrected is not', async () => {
  const first = await score();
  const second = await score({ score: '2/4', corrects: first.id, note: 'a typo' });
  await expect(withdraw(first.id)).rejects.toThrow(`score "${first.id}" was corrected, by "${second.id}"`);
  await withdraw(second.id);
  expect((await board()).outside).toEqual([]);
  const again = await score({ score: '1/4' });
  expect(again).toMatchObject({ recorded: true });
  expect((await board()).outside).toMatchObject([{ score: { mean: 0.25 } }]);
});

test('the same score told again after it was withdrawn counts again', async () => {
  const first = await score();
  await withdraw(first.id);
  expect(await score()).toMatchObject({ recorded: true });
  expect(await score()).toMatchObject({ recorded: false });
  expect((await board()).outside).toMatchObject([{ score: { runs: 1, mean: 0.75 } }]);
});

test('a score whose correction was withdrawn counts again where it is told again, once', async () => {
  const first = await score();
  const second = await score({ score: '2/4', corrects: first.id, note: 'a typo' });
  await withdraw(second.id);
  const again = await score();
  expect(again).toMatchObject({ recorded: true });
  expect(again.id).not.toBe(first.id);
  expect(await score()).toMatchObject({ id: again.id, recorded: false });
  expect((await board()).outside).toMatchObject([{ checkpoint: id(50), score: { runs: 1, mean: 0.75 } }]);
});

test.each([40, 50])(
  'a run whose correction was of checkpoint %i, and was withdrawn, counts again where it is imported again',
  async (step) => {
    const { scores } = await bring([file('1101')], { benchmark: 'public' });
    const why = { corrects: scores[0]?.id, note: 'mixed up' };
    const moved = await score({ checkpoint: id(step), score: '2/4', ...why });
    expect((await bring([file('1101')], { benchmark: 'public' })).scores).toMatchObject([{ recorded: false }]);
    await withdraw(moved.id);
    expect((await board()).outside).toEqual([]);
    const again = await bring([file('1101')], { benchmark: 'public' });
    expect(again.scores).toMatchObject([{ recorded: true }]);
    expect((await board()).outside).toMatchObject([{ checkpoint: id(50), score: { runs: 1, mean: 0.75 } }]);
  },
);

test('a score that is told again at the moment it is withdrawn is not answered as one that counts', async () => {
  const first = await score();
  const { ledger } = bench.dependencies;
  bench.dependencies.ledger = {
    ...ledger,
    // The last moment before the ledger is asked to record.
    recordOutsideScore: async (...asked) => {
      bench.dependencies.ledger = ledger;
      await withdraw(first.id);
      return await ledger.recordOutsideScore(...asked);
    },
  };
  expect(await score()).toMatchObject({ recorded: true });
  expect((await board()).outside).toMatchObject([{ score: { runs: 1, mean: 0.75 } }]);
});

test('what nobody imported is not withdrawn', async () => {
  await expect(withdraw('0123456789ab')).rejects.toThrow(
    'no import and no score from outside "0123456789ab" is in the ledger',
  );
});

test('a mean and the outcomes of one run that are brought at the same moment count once', async () => {
  const whole = { ...file('1101', 'b'), run: { digest: digest('9'), parts: 1 } };
  const mean: ImportedResult = {
    ...whole,
    ...{ digest: digest('9'), source: 'results.json' },
    found: { kind: 'mean', score: 0.75, problems: 4, runs: 1, standardError: 0.25 },
  };
  const both = await Promise.all([bring([mean], { benchmark: 'public' }), bring([whole], { benchmark: 'public' })]);
  expect(both.map(({ scores }) => scores[0]?.recorded).sort()).toEqual([false, true]);
  expect((await board()).outside).toMatchObject([{ benchmark: 'public', score: { runs: 1 } }]);
});
