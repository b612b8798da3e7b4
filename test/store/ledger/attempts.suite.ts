/** Attempts: numbers that are given once, and states. On any database. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { at, type FreshLedger, reservation } from './ledgers.ts';

export function attempts(freshLedger: () => Promise<FreshLedger>): void {
  let fresh: FreshLedger;
  beforeEach(async () => {
    fresh = await freshLedger();
  });
  afterEach(() => fresh.close());

  const key = { workflowId: 'demo', phase: 'sft', purpose: 'train', number: 1 } as const;

  describe('reserving a number', () => {
    test('counts up by workflow id, phase and purpose', async () => {
      const { ledger } = fresh;
      const numbers = [];
      for (const more of [{}, {}, { phase: 'sao' }, { purpose: 'evaluate' as const }, { workflowId: 'other' }, {}]) {
        numbers.push((await ledger.reserveAttempt(reservation(`key-${String(numbers.length)}`, more))).number);
      }
      expect(numbers).toEqual([1, 2, 1, 1, 1, 3]);
    });

    test('the same key gets the same number, whatever came between', async () => {
      const { ledger } = fresh;
      const first = await ledger.reserveAttempt(reservation('mine'));
      await ledger.reserveAttempt(reservation('other'));
      expect(await ledger.reserveAttempt(reservation('mine', { at: 'later' }))).toEqual(first);
    });

    test('a workflow id started anew goes on counting', async () => {
      const { ledger } = fresh;
      await ledger.reserveAttempt(reservation('run-1/1'));
      const anew = await ledger.reserveAttempt(reservation('run-2/1', { runId: 'run-2' }));
      expect(anew.number).toBe(2);
      expect(await ledger.attemptsOf({ workflowId: 'demo', phase: 'sft', runId: 'run-2' })).toHaveLength(1);
      expect(await ledger.attemptsOf({ workflowId: 'demo', phase: 'sft' })).toHaveLength(2);
    });

    test('a key of another phase is a conflict', async () => {
      await fresh.ledger.reserveAttempt(reservation('mine'));
      await expect(fresh.ledger.reserveAttempt(reservation('mine', { phase: 'sao' }))).rejects.toMatchObject({
        code: 'ledger-conflict',
      });
    });

    test('three processes at once never get the same one', async () => {
      const { opener, module, place } = fresh;
      const program = `
      import { ${opener} } from ${JSON.stringify(module)};
      const ledger = await ${opener}(process.argv[1]);
      for (let count = 0; count < 30; count += 1) {
        const one = { workflowId: 'demo', runId: 'r', phase: 'sft', purpose: 'train', at: 'now' };
        const { number } = await ledger.reserveAttempt({ ...one, reservationKey: process.pid + '-' + count });
        console.log(number);
      }
      await ledger.close();`;
      const runs = await Promise.all(
        [1, 2, 3].map(() => promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, place])),
      );
      const numbers = runs.flatMap(({ stdout }) => stdout.trim().split('\n').map(Number));
      expect(numbers.sort((one, other) => one - other)).toEqual(Array.from({ length: 90 }, (_, index) => index + 1));
    }, 30_000);
  });

  describe('the state of an attempt', () => {
    test('changes, keeps what was said before, and ends once', async () => {
      const { ledger } = fresh;
      await ledger.reserveAttempt(reservation('mine'));
      await ledger.changeAttempt(key, {
        state: 'starting',
        at,
        jobName: 't-1',
        jobUid: 'uid',
        directory: '/d',
        request: { a: 1 },
        gpus: 16,
      });
      const ended = await ledger.changeAttempt(key, { state: 'failed', at: 'end' });
      expect(ended).toMatchObject({
        state: 'failed',
        jobName: 't-1',
        jobUid: 'uid',
        request: { a: 1 },
        gpus: 16,
        endedAt: 'end',
      });
      expect(await ledger.changeAttempt(key, { state: 'failed', at: 'again' })).toEqual(ended);
      await expect(ledger.changeAttempt(key, { state: 'running', at })).rejects.toMatchObject({
        code: 'ledger-conflict',
      });
    });

    test('of a number that nobody reserved is a conflict', async () => {
      await expect(fresh.ledger.changeAttempt(key, { state: 'running', at })).rejects.toThrow(/was never reserved/);
    });

    test('advances with its job: one write a change, never back, never out of an end', async () => {
      const { ledger } = fresh;
      await ledger.reserveAttempt(reservation('mine'));
      const to = (state: 'queued' | 'starting' | 'running' | 'stopping', when: string) =>
        ledger.advanceAttempt(key, { state, at: when });
      const wrote = [];
      for (const state of ['queued', 'running', 'running', 'starting', 'stopping', 'running'] as const)
        wrote.push(await to(state, `at ${String(wrote.length)}`));
      expect(wrote).toEqual([false, true, false, false, true, false]);
      const attempts = () => ledger.attemptsOf({ workflowId: 'demo', phase: 'sft' });
      expect(await attempts()).toMatchObject([{ state: 'stopping', updatedAt: 'at 4', endedAt: null }]);
      await ledger.changeAttempt(key, { state: 'failed', at: 'end' });
      expect(await to('stopping', 'later')).toBe(false);
      expect(await attempts()).toMatchObject([{ state: 'failed', updatedAt: 'end' }]);
    });

    test('tells which are live', async () => {
      const { ledger } = fresh;
      await ledger.reserveAttempt(reservation('one'));
      await ledger.reserveAttempt(reservation('two'));
      await ledger.changeAttempt(key, { state: 'lost', at });
      expect((await ledger.liveAttempts()).map(({ number }) => number)).toEqual([2]);
    });
  });
}
