/** Everything else that is recorded. On any database. */
import { incident, evidence } from '../../support/builders.ts';
import { at, checkpoint, type FreshLedger, phase } from './ledgers.ts';

export function records(freshLedger: () => Promise<FreshLedger>): void {
  let fresh: FreshLedger;
  beforeEach(async () => {
    fresh = await freshLedger();
  });
  afterEach(() => fresh.close());

  describe('pipelines', () => {
    const start = { workflowId: 'demo', runId: 'run-1', recipe: 'tiny', identity: 'i', resolved: { seed: 1 }, at };

    test('open once and end once', async () => {
      const { ledger } = fresh;
      await ledger.openPipeline(start);
      await ledger.openPipeline({ ...start, recipe: 'other' });
      await ledger.recordPipelineEnd({ runId: 'run-1', outcome: 'completed', at: 'end' });
      await ledger.recordPipelineEnd({ runId: 'run-1', outcome: 'failed', at: 'later' });
      expect(await ledger.pipelines({ workflowId: 'demo' })).toEqual([
        {
          workflowId: 'demo',
          runId: 'run-1',
          recipe: 'tiny',
          identity: 'i',
          resolved: { seed: 1 },
          startedAt: at,
          endedAt: 'end',
          outcome: 'completed',
        },
      ]);
    });
  });

  test('a phase that goes on after the end of its pipeline, which was reset, reopens it', async () => {
    const { ledger } = fresh;
    const { workflowId, runId } = phase();
    await ledger.openPipeline({ workflowId, runId, recipe: 'tiny', identity: 'i', resolved: {}, at });
    const end = async () => (await ledger.pipelines({ workflowId })).map(({ outcome, endedAt }) => [outcome, endedAt]);
    await ledger.recordPipelineEnd({ runId, outcome: 'failed', at: 'end' });
    await ledger.upsertPhase(phase({ state: 'failed' }));
    expect(await end()).toEqual([['failed', 'end']]);
    await ledger.upsertPhase(phase({ state: 'running' }));
    expect(await end()).toEqual([[null, null]]);
    await ledger.recordPipelineEnd({ runId, outcome: 'completed', at: 'later' });
    expect(await end()).toEqual([['completed', 'later']]);
  });

  describe('phases', () => {
    test('keep what an update leaves out', async () => {
      const { ledger } = fresh;
      await ledger.upsertPhase(phase());
      await ledger.upsertPhase(
        phase({ state: 'completed', promoted: 'demo/sft/a1/checkpoint-50', because: { rule: 'only' }, at: 'end' }),
      );
      await ledger.upsertPhase(phase({ state: 'completed', at: 'again' }));
      expect(await ledger.phasesOf('run-1')).toMatchObject([
        {
          state: 'completed',
          promoted: 'demo/sft/a1/checkpoint-50',
          because: { rule: 'only' },
          startedAt: at,
          updatedAt: 'again',
        },
      ]);
    });

    test('of the same identity are found when they are finished, the newest first', async () => {
      const { ledger } = fresh;
      await ledger.upsertPhase(phase({ runId: 'run-1', state: 'completed', promoted: 'old', at: '2026-01-01' }));
      await ledger.upsertPhase(phase({ runId: 'run-2', state: 'completed', promoted: 'new', at: '2026-02-01' }));
      await ledger.upsertPhase(phase({ runId: 'run-3', state: 'failed', at: '2026-03-01' }));
      await ledger.upsertPhase(
        phase({ runId: 'run-4', identity: 'other', state: 'completed', promoted: 'x', at: '2026-04-01' }),
      );
      expect(await ledger.findFinishedPhase('identity-1')).toMatchObject({
        promoted: 'new',
        workflowId: 'demo',
        phase: 'sft',
      });
      expect(await ledger.findFinishedPhase('unknown')).toBeNull();
      expect((await ledger.findPhasesLike('sft')).map(({ runId }) => runId)).toEqual(['run-4', 'run-2', 'run-1']);
    });
  });

  describe('checkpoints', () => {
    test('are recorded once and sealed once', async () => {
      const { ledger } = fresh;
      const first = await ledger.recordCheckpoint(checkpoint(50));
      expect(first).toMatchObject({
        level: 'complete',
        digest: null,
        pinned: false,
        resumable: true,
        bytes: 200_000_000_000,
      });
      expect(await ledger.recordCheckpoint(checkpoint(50, { at: 'later' }))).toEqual(first);
      const seal = { id: first.id, digest: 'd', weights: 'w' };
      expect(await ledger.sealCheckpoint(seal)).toMatchObject({ level: 'sealed', digest: 'd', weights: 'w' });
      expect(await ledger.sealCheckpoint(seal)).toMatchObject({ level: 'sealed' });
    });

    test('another path under the same id, and another digest, are conflicts', async () => {
      const { ledger } = fresh;
      const { id } = await ledger.recordCheckpoint(checkpoint(50));
      await expect(ledger.recordCheckpoint(checkpoint(50, { path: '/elsewhere' }))).rejects.toMatchObject({
        code: 'ledger-conflict',
      });
      await ledger.sealCheckpoint({ id, digest: 'd', weights: null });
      await expect(ledger.sealCheckpoint({ id, digest: 'other', weights: null })).rejects.toMatchObject({
        code: 'ledger-conflict',
      });
    });

    test('that are not there cannot be sealed or pinned', async () => {
      const { ledger } = fresh;
      expect(await ledger.checkpoint('none')).toBeNull();
      await expect(ledger.sealCheckpoint({ id: 'none', digest: 'd', weights: null })).rejects.toMatchObject({
        code: 'not-found',
      });
      await expect(ledger.pinCheckpoint('none')).rejects.toMatchObject({ code: 'not-found' });
    });

    test('come by attempt and step, of this run alone', async () => {
      const { ledger } = fresh;
      await ledger.recordCheckpoint(checkpoint(50));
      await ledger.recordCheckpoint(checkpoint(20, { id: 'a2', attempt: 2 }));
      await ledger.recordCheckpoint(checkpoint(10));
      await ledger.recordCheckpoint(checkpoint(10, { id: 'run-2', runId: 'run-2' }));
      const found = await ledger.checkpointsOf({ runId: 'run-1', phase: 'sft' });
      expect(found.map(({ attempt, step }) => [attempt, step])).toEqual([
        [1, 10],
        [1, 50],
        [2, 20],
      ]);
    });
  });

  describe('incidents', () => {
    const record = (attempt: number, runId = 'run-1') => ({
      workflowId: 'demo',
      runId,
      phase: 'sft',
      incident: incident('killed').build(attempt),
      evidence: evidence().build(),
      at: `2026-0${String(attempt)}`,
    });

    test('belong to a run: a workflow id started anew begins without charges', async () => {
      const { ledger } = fresh;
      await ledger.recordIncident(record(1));
      await ledger.recordIncident(record(2));
      await ledger.recordIncident(record(3, 'run-2'));
      expect((await ledger.incidentsOf({ runId: 'run-1', phase: 'sft' })).map(({ attempt }) => attempt)).toEqual([
        1, 2,
      ]);
      expect(await ledger.incidentsOf({ runId: 'run-2', phase: 'sft' })).toHaveLength(1);
      expect(await ledger.incidentsOf({ runId: 'run-1', phase: 'sft', purpose: 'evaluate' })).toEqual([]);
    });

    test('an attempt has one, with its evidence; the first stays', async () => {
      const { ledger } = fresh;
      const first = await ledger.recordIncident(record(1));
      const again = await ledger.recordIncident({ ...record(1), incident: incident('crashed').build(1) });
      expect(again).toEqual(first);
      expect(await ledger.incidentRecordsOf({ runId: 'run-1' })).toMatchObject([
        { incident: first, evidence: evidence().build(), purpose: 'train' },
      ]);
    });
  });

  describe('decisions and verdicts', () => {
    test('a decision made twice is the first one', async () => {
      const { ledger } = fresh;
      const decision = {
        key: 'k',
        runId: 'run-1',
        phase: 'sft',
        attempt: 1,
        question: 'retry',
        answer: { then: 'resume' },
        evidence: [1],
        at,
      };
      await ledger.recordDecision(decision);
      expect(await ledger.recordDecision({ ...decision, answer: { then: 'fail' } })).toEqual(decision);
      expect(await ledger.decisionsOf({ runId: 'run-1', phase: 'sft' })).toEqual([decision]);
      expect(await ledger.decisionsOf({ runId: 'run-1', phase: 'sao' })).toEqual([]);
    });

    test('are found by a text that their answer names, in any run', async () => {
      const { ledger } = fresh;
      const of = (key: string, question: string, id: string) =>
        ledger.recordDecision({
          ...{ key, runId: `run-of-${key}`, phase: 'sft', attempt: null, question, evidence: null, at },
          answer: [{ id, why: 'older' }],
        });
      const found = await of('k1', 'prune', 'demo/sft_1/a1/checkpoint-5');
      await of('k2', 'prune', 'demo/sft_1/a1/checkpoint-50');
      await of('k3', 'not-pruned', 'demo/sft_1/a1/checkpoint-5');
      expect(await ledger.decisionsThatName('demo/sft_1/a1/checkpoint-5', 'prune')).toEqual([found]);
      expect(await ledger.decisionsThatName('demo/sft_1/a1', 'prune')).toEqual([]);
    });

    test('a verdict is kept with what it rested on', async () => {
      const { ledger } = fresh;
      const verdict = { key: 'k', runId: 'run-1', phase: 'sft', verdict: { says: 'promote' }, evidence: ['e'], at };
      await ledger.recordVerdict(verdict);
      expect(await ledger.recordVerdict({ ...verdict, verdict: { says: 'hold' } })).toEqual(verdict);
      expect(await ledger.verdictsOf({ runId: 'run-1' })).toEqual([verdict]);
    });
  });
}
