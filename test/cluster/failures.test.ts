/** Every way in which a job dies on a real cluster: the right class, the right decision, and its evidence kept when Job and pods are gone. */
import { type LifeOfRow, type FailureBed, makeFailureBed } from './failure-bed.ts';
import { failureRows } from './failure-rows.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
let failures: FailureBed | undefined;

beforeAll(async () => {
  failures = await makeFailureBed(cluster, failureRows);
}, 400_000);
afterAll(async () => {
  await failures?.close();
});

function lifeOf(id: string): LifeOfRow {
  const found = failures?.lives.get(id);
  if (found instanceof Error || found === undefined) throw found ?? new Error(`${id} was not tried`);
  return found;
}

test.each(failureRows)('$how: $want.class, $want.then', ({ id, want }) => {
  const { incidents, decision, kept, told, saved, resumed, ended } = lifeOf(id);
  expect(incidents.map((incident) => incident.class)).toEqual([want.class]);
  expect([decision.kind, decision.change?.kind]).toEqual([want.then, want.change]);
  const goesOn = want.then === 'resume' || want.then === 'restart';
  const { because } = decision;
  expect('charged' in because ? because.charged : null).toBe(goesOn ? want.charged : null);
  if (want.rank !== undefined) expect(incidents[0]?.rank).toBe(want.rank);
  if (want.step !== undefined) expect(incidents[0]?.step).toBe(want.step);
  expect(kept).toMatch(want.kept);
  expect(told).toMatch(want.told);
  // What was saved is gone on from, whatever it was that ended it.
  expect([resumed, ended]).toEqual(
    goesOn ? [saved, 'completed'] : [null, expect.stringMatching(/^ended: .*fail|^held: /i)],
  );
});
