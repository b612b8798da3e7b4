/** Kills at random points, counted by a witness that is no part of Temper; and the same witness where adoption is switched off. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChaosOptions, type ChaosReport, runChaos } from '../../bench/chaos/run-chaos.ts';
import { failuresOf } from '../../bench/chaos/table.ts';
import { guardedFolder, type GuardedFolder } from '../support/guarded-folder.ts';

let guarded: GuardedFolder;
beforeAll(async () => {
  guarded = await guardedFolder('temper-chaos-');
});
afterAll(() => guarded.close());

async function chaos(name: string, options: Partial<ChaosOptions> & { kills: number }): Promise<ChaosReport> {
  const folder = join(guarded.path, name);
  await mkdir(folder);
  const said: string[] = [];
  const report = await runChaos({ seed: 1, folder, say: (line) => said.push(line), ...options });
  const failures = failuresOf(report);
  if (failures.length > 0) console.log([...said, ...failures].join('\n'));
  return report;
}

/** A worker that loses the reply to each first submit. */
const doubting = (how: 'adopting' | 'forgetting'): [string, ...string[]] => [
  process.execPath,
  '--disable-warning=ExperimentalWarning',
  join(import.meta.dirname, '..', 'support', 'doubting-worker-process.ts'),
  how,
];

it('ten kills at random points under two workers: no twin, no orphan, no finished phase lost, no saved step redone, and the right last bytes', async () => {
  const report = await chaos('ten', { kills: 10, paceSeconds: 1, workers: 2 });
  expect(report).toMatchObject({
    twins: 0,
    orphans: 0,
    lostFinishedPhases: 0,
    redoneSteps: 0,
    unfinished: [],
    wrong: [],
  });
  expect(report.kills).toHaveLength(10);
  expect(report.usefulSteps).toBeGreaterThan(0);
  expect(report.goodput).toBeGreaterThan(0);
});

it('a lost reply makes no twin where a submit adopts', async () => {
  expect(await chaos('adopting', { kills: 0, worker: doubting('adopting') })).toMatchObject({
    twins: 0,
    unfinished: [],
  });
});

it('with adoption switched off the witness sees twins', async () => {
  const { twins } = await chaos('forgetting', { kills: 0, worker: doubting('forgetting'), stepSeconds: 0.2 });
  expect(twins).toBeGreaterThan(0);
});
