import fc from 'fast-check';
import { batchAfter, changesAfter, type DecidedAfter, factorAfter } from '../../decisions/attempt-changes.ts';
import { type FailureClass, failureClasses, type Incident } from '../../decisions/failure.ts';
import { decideRetry, type RetryBudgets, type RetryDecision } from '../../decisions/retry.ts';
import { retryPolicies } from '../../decisions/retry-policies.ts';
import { incident } from '../support/builders.ts';

const budgets: RetryBudgets = { attempts: 5, waitMinutes: 60 };

describe('over random histories', () => {
  const lastStep = 8;
  const anything = fc.record({
    class: fc.constantFrom<FailureClass>(...failureClasses),
    rootCause: fc.constantFrom('x', 'y', 'z'),
    node: fc.constantFrom('a', 'b', null),
    gained: fc.constantFrom(0, 0, 0, 1),
  });
  /** Hostile: as long as it likes, of any classes, with new steps whenever it likes, though no more than there are. */
  const hostile = fc.array(anything, { minLength: 1, maxLength: 400 }).map((rows) => {
    let completedStep = 0;
    return rows.map(({ gained, ...row }, index): Incident => {
      completedStep = Math.min(lastStep, completedStep + gained);
      return { ...incident(row.class).build(index + 1), ...row, step: completedStep, completedStep };
    });
  });
  const anyBudgets = fc.record({
    attempts: fc.integer({ min: 1, max: 8 }),
    waitMinutes: fc.integer({ min: 1, max: 90 }),
  });
  const goesOn = (decision: RetryDecision) => decision.kind !== 'hold' && decision.kind !== 'fail';
  const situation = { batch: { microBatch: 64, accumulation: 1 } };

  /** Plays the history until the decision is to stop; returns how many attempts were lost up to then. */
  function play(
    limits: RetryBudgets,
    incidents: readonly Incident[],
  ): { lost: readonly Incident[]; last: RetryDecision } {
    for (let count = 1; ; count += 1) {
      const lost = incidents.slice(0, count);
      const last = decideRetry(limits, lost, situation);
      if (!goesOn(last) || count === incidents.length) return { lost, last };
    }
  }

  test('none loops for ever: each stretch without a new step ends', () => {
    fc.assert(
      fc.property(anyBudgets, hostile, (limits, incidents) => {
        const { lost } = play(limits, incidents);
        const waits = Math.ceil((limits.waitMinutes * 60) / 30);
        expect(lost.length).toBeLessThanOrEqual((lastStep + 1) * (10 + waits) + limits.attempts + 1);
      }),
    );
    for (const name of failureClasses) {
      const same = Array.from({ length: 300 }, (_, index) => incident(name).build(index + 1));
      expect(play(budgets, same).lost.length).toBeLessThan(30);
    }
  });

  test('none costs more than its budget', () => {
    fc.assert(
      fc.property(anyBudgets, hostile, (limits, incidents) => {
        const { lost } = play(limits, incidents);
        const charged = lost.filter((one) => retryPolicies[one.class].charge === 'attempt').length;
        // The last one may be of a class that ends the phase by itself.
        const ends = ['fail', 'hold'].includes(retryPolicies[lost.at(-1)?.class ?? 'config'].then) ? 1 : 0;
        expect(charged).toBeLessThanOrEqual(limits.attempts + ends);
      }),
    );
  });

  test('none gives up while it may go on', () => {
    fc.assert(
      fc.property(anyBudgets, hostile, (limits, incidents) => {
        const { lost, last } = play(limits, incidents);
        if (goesOn(last)) return;
        expect(reasonsToStop(limits, lost)).toContain(last.because.rule);
      }),
    );
  });

  test('and none goes on where it must stop', () => {
    fc.assert(
      fc.property(anyBudgets, hostile, (limits, incidents) => {
        const { lost, last } = play(limits, incidents);
        if (goesOn(last)) expect(reasonsToStop(limits, lost)).toEqual([]);
      }),
    );
  });

  test('no attempt is made twice the same way after a failure that a change must mend', () => {
    const batch = { microBatch: 8, accumulation: 1 };
    const anyFixed = fc.subarray(['memory', 'shared-memory'] as const);
    fc.assert(
      fc.property(hostile, anyFixed, fc.constantFrom(0, 100), (incidents, fixed, prunableBytes) => {
        const decided: DecidedAfter[] = [];
        const shapes = new Set<string>();
        for (const [index, { attempt, class: name }] of incidents.entries()) {
          const changes = changesAfter(decided);
          const decision = decideRetry({ attempts: 99, waitMinutes: 60 }, incidents.slice(0, index + 1), {
            batch: batchAfter(changes, batch) ?? batch,
            memoryFactor: factorAfter(changes, 'memory'),
            sharedMemoryFactor: factorAfter(changes, 'shared-memory'),
            fixed,
            prunableBytes,
          });
          decided.push({ attempt, decision });
          if (!goesOn(decision)) return;
          const { change: asks } = retryPolicies[name];
          if (asks === undefined || asks === 'prune') continue;
          const shape = JSON.stringify(changesAfter(decided).filter(({ kind }) => kind === asks));
          expect([name, shapes.has(`${name} ${shape}`)]).toEqual([name, false]);
          shapes.add(`${name} ${shape}`);
          const { microBatch, accumulation } = batchAfter(changesAfter(decided), batch) ?? batch;
          expect(microBatch * accumulation).toBe(8);
        }
      }),
    );
  });

  /** The limits once more, written the long way round. */
  function reasonsToStop(limits: RetryBudgets, lost: readonly Incident[]): string[] {
    const last = lost.at(-1);
    if (last === undefined) return [];
    const policy = retryPolicies[last.class];
    const best = Math.max(...lost.map((one) => one.completedStep));
    const stretch = best === 0 ? lost : lost.slice(lost.findIndex((one) => one.completedStep === best));
    const reasons: string[] = [];
    if (policy.then === 'fail') reasons.push('no-retry-helps');
    if (policy.then === 'hold') reasons.push('needs-a-person');
    if (policy.then === 'wait') {
      let waited = 0;
      const seen = new Map<string, number>();
      for (const one of stretch.slice(0, -1).filter((each) => retryPolicies[each.class].then === 'wait')) {
        const before = seen.get(one.class) ?? 0;
        waited += Math.min(600, retryPolicies[one.class].delaySeconds * 2 ** before);
        seen.set(one.class, before + 1);
      }
      if (waited >= limits.waitMinutes * 60) reasons.push('waited-too-long');
    } else if (policy.charge === 'free') {
      const free = stretch.filter(
        (one) => retryPolicies[one.class].charge === 'free' && retryPolicies[one.class].then === 'resume',
      );
      if (free.length >= 10) reasons.push('no-new-step');
    } else if (policy.then !== 'fail' && policy.then !== 'hold') {
      if (stretch.filter((one) => one.class === last.class && one.rootCause === last.rootCause).length >= 3)
        reasons.push('same-root-cause');
      if (policy.atMost !== undefined && lost.filter((one) => one.class === last.class).length > policy.atMost)
        reasons.push('class-limit');
      if (lost.filter((one) => retryPolicies[one.class].charge === 'attempt').length >= limits.attempts)
        reasons.push('attempts-spent');
    }
    return reasons;
  }
});
