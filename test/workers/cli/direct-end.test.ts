/** `temper logs -f --direct` of a run that wrote no end: the server that is there knows whether one is still to come. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { logName } from '../../../decisions/log-name.ts';
import { openSqliteLedger } from '../../../store/ledger/sqlite.ts';
import { workflowNames } from '../../../workflows/contract.ts';
import { startTemper } from '../../support/command-line.ts';
import { schedulesOfFile } from '../../support/schedule-bench.ts';

const bench = schedulesOfFile();
let store = '';
beforeAll(async () => {
  store = await mkdtemp(join(tmpdir(), 'temper-direct-end-'));
});
afterAll(() => rm(store, { recursive: true }));

/** An attempt of this run that is over, as the reaper or its phase leaves it. */
async function endedAttempt(workflowId: string, runId: string): Promise<void> {
  const at = '2026-11-29T10:00:00.000Z';
  const [phase, purpose] = ['base', 'train'] as const;
  const directory = join(store, 'pipelines', workflowId, 'base', 'attempt-1');
  const ledger = await openSqliteLedger(join(store, 'ledger.sqlite'));
  await ledger.openPipeline({ workflowId, runId, recipe: 'tiny', identity: 'x', resolved: null, at });
  const row = { position: 0, kind: 'base', identity: 'x', identityText: '{}', state: 'running' } as const;
  await ledger.upsertPhase({ workflowId, runId, phase, ...row, at });
  await ledger.reserveAttempt({ workflowId, runId, phase, purpose, reservationKey: `${workflowId}/1`, at });
  await ledger.changeAttempt({ workflowId, phase, purpose, number: 1 }, { state: 'cancelled', at, directory });
  await ledger.close();
  const log = join(directory, logName(0));
  await mkdir(dirname(log), { recursive: true });
  await writeFile(log, 'step 1\n');
}

test('it ends when the run is terminated, and says by whom and why; until then it waits', async () => {
  const run = await bench.client.workflow.start(workflowNames.pipeline, {
    ...{ workflowId: 'ended', taskQueue: 'nobody', args: [{}] },
  });
  await endedAttempt('ended', run.firstExecutionRunId);
  const environment = { TEMPER_STORE: store, TEMPORAL_ADDRESS: bench.address };
  const logs = startTemper(['logs', 'ended', '-f', '--direct'], { environment });
  await logs.said('step 1');
  await run.terminate('the cluster moves');
  const { exitCode, errors } = await logs.ended;
  expect([exitCode, errors]).toEqual([
    0,
    expect.stringMatching(
      /\nIt was terminated at .* UTC by .* \(the cluster moves\), and wrote no end of its own\.\n$/,
    ),
  ]);
});
