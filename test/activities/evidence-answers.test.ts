/** What `leaderboard` and `compare` answer, from a real ledger. */
import type { GateVerdict } from '../../decisions/gate-report.ts';
import type { CompareQuestion, LeaderboardAnswer, LeaderboardQuestion } from '../../workflows/contract-questions.ts';
import type { ResolvedPipeline } from '../../workflows/contract.ts';
import { activityBench, type ActivityBench, runId } from '../support/activity-bench.ts';
import { evaluation, type EvaluationBuilder } from '../support/builders.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await activityBench();
});
afterEach(() => bench.close());

const leaderboard = (question: Omit<LeaderboardQuestion, 'question'> = {}) =>
  bench.ask({ question: 'leaderboard', ...question });
const compare = (question: Omit<CompareQuestion, 'question'>) => bench.ask({ question: 'compare', ...question });
const named = ({ rows }: LeaderboardAnswer) =>
  rows.map((row) => `${row.checkpoint} ${row.benchmark}@${String(row.version)} ${String(row.mean)}`);

/** A run of a pipeline whose phase `sft` promoted its checkpoint of step 40, of those of steps 20 and 40. */
async function pipeline(name: string): Promise<{ at: (step: number) => string }> {
  const run = `run-of-${name}`;
  const at = (step: number) => `${name}/sft/a1/checkpoint-${String(step)}`;
  const resolved = { recipe: { name: 'small' } } as unknown as ResolvedPipeline;
  await bench.as(runId).openPipeline({ pipelineId: name, runId: run, resolved });
  const of = { workflowId: name, runId: run, phase: 'sft' };
  await bench.ledger.upsertPhase({
    ...of,
    position: 0,
    kind: 'sft',
    identity: name,
    identityText: '',
    state: 'completed',
    promoted: at(40),
    at: '2026-11-29T10:00:00.000Z',
  });
  for (const step of [20, 40])
    await bench.ledger.recordCheckpoint({
      ...of,
      id: at(step),
      path: `/store/${at(step)}`,
      step,
      parent: step === 20 ? null : at(20),
      format: 'hf',
      base: null,
      attempt: 1,
      bytes: 1,
      resumable: true,
      finite: true,
      at: '2026-11-29T10:00:00.000Z',
    });
  return { at };
}

async function seen(...evaluations: readonly EvaluationBuilder[]): Promise<void> {
  const at = '2026-11-29T11:00:00.000Z';
  for (const one of evaluations)
    await bench.ledger.recordEvaluation({ evaluation: one.build(), runId: 'run', jobName: 'job', at });
}

describe('compare says how one was made from the other', () => {
  test.each([
    { kind: 'mxfp4-merge', want: /^the second is the first merged and rounded to MXFP4, with no training between: / },
    { kind: 'sft', want: /^the second was made from the first by sft, step 40$/ },
  ] as const)('by $kind', async ({ kind, want }) => {
    const { at } = await pipeline('demo');
    const [record] = await bench.ledger.phasesOf('run-of-demo');
    if (record === undefined) throw new Error('no phase');
    const of = { ...record, runId: `run-of-${kind}`, workflowId: `of-${kind}`, kind, at: '2026-11-29T10:00:00.000Z' };
    const resolved = { recipe: { name: 'small' } } as unknown as ResolvedPipeline;
    await bench.as(runId).openPipeline({ pipelineId: of.workflowId, runId: of.runId, resolved });
    await bench.ledger.upsertPhase(of);
    const parent = await bench.ledger.checkpoint(at(20));
    if (parent === null) throw new Error('no parent');
    const id = `of-${kind}/sft/a1/checkpoint-40`;
    const child = { ...parent, id, path: `/store/${id}`, step: 40, parent: parent.id, at: of.at };
    await bench.ledger.recordCheckpoint({ ...child, runId: of.runId, workflowId: of.workflowId });
    await seen(evaluation(at(20)).scoring([2, 2]), evaluation(id).scoring([2, 4]));
    const answer = await compare({ first: at(20), second: id });
    expect(answer.relation).toMatch(want);
    // Of two right of four samples, a third of the pairs go from right to wrong: of each of two problems.
    expect(answer.comparisons[0]?.byLuck).toBeCloseTo(2 / 3);
  });
});

describe('leaderboard', () => {
  /** Step 40, made from step 20. */
  const promoted = (at: (step: number) => string): GateVerdict => ({
    kind: 'promote',
    checkpoint: { id: at(40), phase: 'sft', step: 40, parent: at(20) },
    score: 1,
    because: { rule: 'newest', step: 40, passed: 2 },
    stages: [],
  });

  test('of a pipeline: its checkpoints in their order, with what the gate said', async () => {
    const { at } = await pipeline('demo');
    const other = await pipeline('other');
    await seen(evaluation(at(40)).scoring([4, 4]), evaluation(at(20)).scoring([4, 0]), evaluation(other.at(20)));
    const verdict = promoted(at);
    const time = '2026-11-29T12:00:00.000Z';
    await bench.ledger.recordVerdict({
      key: 'k',
      runId: 'run-of-demo',
      phase: 'sft',
      verdict,
      evidence: null,
      at: time,
    });
    const { rows, missing, omitted } = await leaderboard({ pipeline: 'demo' });
    expect(rows.map((row) => [row.pipeline, row.step, row.mean, row.verdict])).toEqual([
      ['demo', 20, 0.5, 'passed-over'],
      ['demo', 40, 1, 'promote'],
    ]);
    expect(rows[1]).toMatchObject({ gain: { mean: 0.5 }, majorityAtK: 1, passAtK: { k: 4 }, run: { p50: 1, p95: 1 } });
    expect([missing, omitted]).toEqual([[], 0]);
  });

  test('of a pipeline that was started anew: also what its run before had made, with what the gate says now', async () => {
    const { at } = await pipeline('demo');
    await seen(evaluation(at(40)).scoring([4, 4]), evaluation(at(20)).scoring([4, 0]));
    bench.pass(60);
    const resolved = { recipe: { name: 'small' } } as unknown as ResolvedPipeline;
    await bench.as(runId).openPipeline({ pipelineId: 'demo', runId: 'second-run', resolved });
    const [first] = await bench.ledger.phasesOf('run-of-demo');
    if (first === undefined) throw new Error('no phase');
    const time = '2026-11-29T12:00:00.000Z';
    await bench.ledger.upsertPhase({ ...first, runId: 'second-run', at: time });
    const verdict = promoted(at);
    await bench.ledger.recordVerdict({
      ...{ key: 'k', runId: 'second-run', phase: 'sft', verdict, evidence: null, at: time },
    });
    const verdicts = async (pipelineId?: string) =>
      (await leaderboard({ pipeline: pipelineId })).rows.map((row) => [row.step, row.verdict]);
    expect(await verdicts('demo')).toEqual([
      [20, 'passed-over'],
      [40, 'promote'],
    ]);
    expect(await verdicts()).toEqual([
      [40, 'promote'],
      [20, 'passed-over'],
    ]);
  });

  test('of more scores from outside than it has room for those of the newest checkpoints', async () => {
    const { at } = await pipeline('demo');
    const told = { version: 1, score: 0.8, problems: 50, runs: 1, deviation: null, standardError: null, place: null };
    const scores = Array.from({ length: 101 }, (_, index) => ({
      ...{ ...told, runtime: null, source: '', by: 'ann', note: '', corrects: null, at: '2026-11-29T12:00:00.000Z' },
      ...{ checkpoint: at(index === 0 ? 40 : 20), benchmark: `task-${String(index)}` },
    }));
    for (const [index, score] of scores.entries())
      await bench.ledger.recordOutsideScore(score, () => ({ id: String(index) }));
    const { outside = [], outsideOmitted } = await leaderboard({ pipeline: 'demo' });
    expect([outside.length, outsideOmitted, outside.at(-1)?.step]).toEqual([100, 1, 40]);
  });

  test('a person had the last word: who promoted what and why stands in place of what the gate said', async () => {
    const { at } = await pipeline('demo');
    await seen(evaluation(at(40)).scoring([4, 4]), evaluation(at(20)).scoring([4, 0]));
    const of = { runId: 'run-of-demo', phase: 'sft' };
    const time = '2026-11-29T12:00:00.000Z';
    const verdict: GateVerdict = { kind: 'hold', because: { rule: 'no-candidates' }, stages: [] };
    await bench.ledger.recordVerdict({ ...of, key: 'k', verdict, evidence: null, at: time });
    const before = (await leaderboard({ pipeline: 'demo' })).rows.map((row) => row.verdict);
    expect(before).toEqual(['open', 'open']);
    const by = { by: 'ann', reason: 'it writes better' };
    const request = { message: 'promote', checkpoint: at(20) } as const;
    await bench.as(runId).recordSteering({ pipelineId: 'demo', ...of, id: 'update-1', request, by });
    // As rows had it before they kept which message it was: whoever changes the words of today keeps these.
    const because = { sentence: `ann promoted ${at(20)}: it writes better`, score: null };
    const [record] = await bench.ledger.phasesOf('run-of-demo');
    if (record === undefined) throw new Error('no phase');
    await bench.ledger.upsertPhase({ ...record, promoted: at(20), because, at: time });
    const { rows } = await leaderboard({ pipeline: 'demo' });
    expect(rows.map(({ step, verdict: word, why }) => [step, word, why])).toEqual([
      [20, 'promote', 'Promoted by ann: it writes better.'],
      [40, 'passed-over', `ann promoted ${at(20)}: it writes better.`],
    ]);
    const { phases } = await bench.ask({ question: 'explain', pipeline: 'demo' });
    expect(phases[0]?.because).toBe(`Promoted by ann: it writes better (${at(20)}).`);
  });

  test('of all: the best first on each benchmark and version, never two versions together', async () => {
    const [one, other] = [await pipeline('one'), await pipeline('other')];
    await seen(
      evaluation(one.at(20)).scoring([1, 1]),
      evaluation(other.at(20)).scoring([4, 4]),
      evaluation(other.at(40)).scoring([2, 2]),
      evaluation(one.at(20)).on('addition', 2).scoring([4, 4]),
    );
    const all = [
      'other/sft/a1/checkpoint-20 addition@1 1',
      'other/sft/a1/checkpoint-40 addition@1 0.5',
      'one/sft/a1/checkpoint-20 addition@1 0.25',
      'one/sft/a1/checkpoint-20 addition@2 1',
    ];
    expect(named(await leaderboard())).toEqual(all);
    const few = await leaderboard({ most: 1 });
    expect([named(few), few.omitted]).toEqual([[all[0], all[3]], 2]);
  });

  test('what lacks problems stands last, as what it is', async () => {
    const { at } = await pipeline('demo');
    await seen(evaluation(at(20)).scoring([4]), evaluation(at(40)).scoring([1, 1]));
    const { rows } = await leaderboard();
    expect(rows.map(({ step, problems, lacking }) => [step, problems, lacking])).toEqual([
      [40, 2, undefined],
      [20, 1, 1],
    ]);
  });

  test('an evaluation that failed is told with its job, until there is one', async () => {
    const { at } = await pipeline('demo');
    const of = { workflowId: 'demo', runId: 'run-of-demo', phase: 'sft', purpose: 'evaluate' as const };
    const { number } = await bench.ledger.reserveAttempt({
      ...of,
      reservationKey: 'k',
      at: '2026-11-29T10:00:00.000Z',
    });
    const asked = { checkpoint: { id: at(20) }, benchmark: { name: 'addition', version: 1 }, seed: 1 };
    await bench.ledger.changeAttempt(
      { ...of, number },
      { state: 'failed', at: '2026-11-29T10:01:00.000Z', request: { evaluations: [asked] } },
    );
    const key = { checkpoint: at(20), benchmark: 'addition', version: 1, seed: 1 };
    expect(await leaderboard({ pipeline: 'demo' })).toMatchObject({
      rows: [],
      missing: [{ ...key, job: 1, state: 'failed', because: '' }],
    });
    await seen(evaluation(at(20)));
    expect((await leaderboard({ pipeline: 'demo' })).missing).toEqual([]);
  });

  test('a benchmark or pipeline that is not there is refused with the nearest', async () => {
    const { at } = await pipeline('demo');
    await seen(evaluation(at(20)));
    await expect(leaderboard({ benchmark: 'adition' })).rejects.toMatchObject({
      code: 'not-found',
      message: 'nothing was evaluated on a benchmark "adition"; did you mean "addition"? There are: addition',
    });
    await expect(leaderboard({ pipeline: 'dmeo' })).rejects.toThrow('did you mean "demo"?');
  });

  test('an empty ledger has nothing to show', async () => {
    expect(await leaderboard()).toMatchObject({ rows: [], omitted: 0, olderLeftOut: false });
  });
});

describe('compare', () => {
  test('two checkpoints, or what a phase promoted, on every benchmark that both have', async () => {
    const { at } = await pipeline('demo');
    const both = (step: number) => [evaluation(at(step)), evaluation(at(step)).on('zeta')];
    await seen(...both(20), ...both(40), evaluation(at(40)).on('alone'));
    const { first, second, comparisons } = await compare({ first: at(20), second: 'demo/sft' });
    expect([first, second]).toEqual([at(20), at(40)]);
    expect(comparisons.map(({ benchmark, problems }) => [benchmark, problems])).toEqual([
      ['addition', 4],
      ['zeta', 4],
    ]);
    const one = await compare({ first: at(20), second: at(40), benchmark: 'zeta' });
    expect(one.comparisons).toHaveLength(1);
  });

  test.each<{ what: string; second: string; benchmark?: string; code?: string; want: RegExp }>([
    { what: 'itself', second: 'demo/sft/a1/checkpoint-20', want: /^both are demo\/sft\/a1\/checkpoint-20/ },
    {
      what: 'another version',
      second: 'demo/sft',
      want: /cannot be compared: .* same benchmark and version\. demo\/sft\/a1\/checkpoint-20: addition \(version 1\)\. .*-40: addition \(version 2\), zeta \(version 1\)$/,
    },
    { what: 'other problems', second: 'other/sft', want: /on addition \(version 1\) they have no problem in common$/ },
    { what: 'nothing', second: 'other/sft/a1/checkpoint-20', want: /checkpoint-20: never evaluated$/ },
    { what: 'what is not there', second: 'demo/stf', code: 'not-found', want: /did you mean "demo\/sft"\?/ },
    {
      what: 'an unknown benchmark',
      second: 'demo/sft',
      benchmark: 'zetta',
      code: 'not-found',
      want: /did you mean "zeta"\?/,
    },
  ])('refuses $what', async ({ second, benchmark, code = 'invalid-input', want }) => {
    const [{ at }, other] = [await pipeline('demo'), await pipeline('other')];
    const alien = evaluation(other.at(40)).build();
    await seen(evaluation(at(20)), evaluation(at(40)).on('addition', 2), evaluation(at(40)).on('zeta'));
    await bench.ledger.recordEvaluation({
      evaluation: { ...alien, problems: alien.problems.map((one) => ({ ...one, problem: `other ${one.problem}` })) },
      runId: 'run',
      jobName: 'job',
      at: '2026-11-29T11:00:00.000Z',
    });
    const asked = compare({ first: at(20), second, benchmark });
    await expect(asked).rejects.toMatchObject({ code, message: expect.stringMatching(want) as string });
  });
});
