/** `--direct`: the ledger and the store of this machine, without a server. Colours are for terminals. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { logName } from '../../../decisions/log-name.ts';
import { openSqliteLedger } from '../../../store/ledger/sqlite.ts';
import { phaseSchema } from '../../../configs/schema.ts';
import { createRunStore } from '../../../store/run-store.ts';
import { hfFiles, write } from '../../store/checkpoint-fixtures.ts';
import { temper, temperOnTerminal } from '../../support/command-line.ts';
import { basePhase, shipped } from '../../support/recipes.ts';

const store = await mkdtemp(join(tmpdir(), 'temper-direct-'));
afterAll(() => rm(store, { recursive: true }));
const environment = { TEMPER_STORE: store };

beforeAll(async () => {
  const ledger = await openSqliteLedger(join(store, 'ledger.sqlite'));
  const at = '2026-11-29T10:00:00.000Z';
  await ledger.openPipeline({ workflowId: 'demo', runId: 'run-1', recipe: 'tiny', identity: 'x', resolved: null, at });
  await ledger.upsertPhase({
    workflowId: 'demo',
    runId: 'run-1',
    phase: 'base',
    position: 0,
    kind: 'base',
    identity: 'x',
    identityText: '{}',
    state: 'running',
    at,
  });
  await ledger.close();
});

test('explain tells the story', async () => {
  const { exitCode, output } = await temper(['explain', 'demo', '--direct'], { environment });
  const [head, ended, ...phases] = output.split('\n\n');
  expect([exitCode, head, phases]).toEqual([
    0,
    'demo: recipe tiny, running, 2026-11-29 10:00:00 UTC (run run-1)',
    ['base: running\n'],
  ]);
  expect(ended).toMatch(/^Its end is not in the ledger: .* without --direct\.$/);
});

test('with a folder of profiles of one’s own that has no local one', async () => {
  const profiles = { TEMPER_PROFILES: await mkdtemp(join(store, 'profiles-')) };
  const { exitCode, output } = await temper(['explain', 'demo', '--direct'], {
    environment: { ...environment, ...profiles },
  });
  expect([exitCode, output]).toEqual([0, expect.stringContaining('demo: recipe tiny, running')]);
});

test('explain as data', async () => {
  const { output } = await temper(['explain', 'demo', '--direct', '--json'], { environment });
  expect(JSON.parse(output)).toMatchObject({ pipeline: 'demo', runId: 'run-1', phases: [{ phase: 'base' }] });
});

describe('prune', () => {
  const old = join(store, 'pipelines', 'old', 'base', 'attempt-1');
  const steps = async () => (await createRunStore(store).checkpoints(old)).map(({ step }) => step);

  beforeAll(async () => {
    const at = '2026-11-29T09:00:00.000Z';
    const ledger = await openSqliteLedger(join(store, 'ledger.sqlite'));
    const [workflowId, runId, phase, purpose] = ['old', 'run-0', 'base', 'train'] as const;
    const resolved = { recipe: { phases: [phaseSchema.parse({ ...basePhase, params: { steps: 40 } })] } };
    await ledger.openPipeline({ workflowId, runId, recipe: 'tiny', identity: 'y', resolved, at });
    const row = { position: 0, kind: 'base', identity: 'y', identityText: '{}', state: 'failed' } as const;
    await ledger.upsertPhase({ workflowId, runId, phase, ...row, at });
    await ledger.reserveAttempt({ workflowId, runId, phase, purpose, reservationKey: 'old/1', at });
    await ledger.changeAttempt({ workflowId, phase, purpose, number: 1 }, { state: 'failed', at, directory: old });
    await ledger.close();
    for (const step of [5, 10, 15]) await write(join(old, 'checkpoints', `checkpoint-${String(step)}`), hfFiles(step));
  });

  test('lists what may go and what stays, and deletes nothing', async () => {
    const { exitCode, output } = await temper(['prune', 'old', '--direct'], { environment });
    expect(exitCode).toBe(0);
    expect(output).toMatch(/^may go +[\d.]+ k?B {2}old\/base\/a1\/checkpoint-5: there are newer ones to go on from\n/);
    expect(output).toContain('old/base/a1/checkpoint-15: one of the newest two\n');
    expect(output).toMatch(/\n1 checkpoint, [\d.]+ k?B may go\. Nothing was deleted: --yes deletes it\.\n$/);
    expect(await steps()).toEqual([5, 10, 15]);
  });

  test('deletes with --yes, over every pipeline when none is named', async () => {
    const { output } = await temper(['prune', '--direct', '--yes', '--json'], { environment });
    expect(JSON.parse(output)).toMatchObject({ deleted: true, go: [{ what: 'old/base/a1/checkpoint-5' }] });
    expect(await steps()).toEqual([10, 15]);
  });

  test('knows no pipeline that is not there', async () => {
    const { exitCode, errors } = await temper(['prune', 'odl', '--direct'], { environment });
    expect([exitCode, errors]).toEqual([2, expect.stringContaining('did you mean "old"?')]);
  });
});

describe('what a trainer prints', () => {
  const printed = 'begins\n 10 %\r 20 %\r\n\u001b]0;you are root\u0007\u001b[2J\u001b[31mgreen\u001b[0m?\n';
  const words = ['logs', 'old', '--direct'];
  beforeAll(async () => {
    const path = join(store, 'pipelines', 'old', 'base', 'attempt-1', logName(0));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, printed);
  });

  test('can do nothing to a terminal', async () => {
    const { output } = await temperOnTerminal(words, { environment });
    expect(output.replaceAll('\r\n', '\n')).toMatch(/attempt-1\nbegins\n 10 %\n 20 %\ngreen\?\n$/);
  });

  test('comes into a file as it was written', async () => {
    expect((await temper(words, { environment })).output).toBe(printed);
  });
});

test('plan prints each value with where it came from', async () => {
  const { exitCode, output } = await temper(['plan', 'tiny', '--direct', '--set', 'seed=2'], { environment });
  expect(exitCode).toBe(0);
  expect(output).toMatch(/^tiny \(tiny\.yaml\) on local: 6 to run, 0 to reuse\n/);
  expect(output).toMatch(/\nseed +2 +--set\n/);
  expect(output).toMatch(/\nphases\.sft\.params\.learningRate +0\.005 +recipe\n/);
  expect(output).toMatch(/\nphases\.sft\.params\.maxLength +64 +default\n/);
});

test.each([
  {
    words: ['explain', 'demmo'],
    want: 'no pipeline "demmo" is in the ledger; did you mean "demo"? There are: demo, old',
  },
  { words: ['explain', 'demo', 'bass'], want: 'no phase "bass" of it has begun; did you mean "base"? There are: base' },
  { words: ['logs', 'demo'], want: 'pipeline demo has no such attempt in its newest run; there are: none yet' },
  {
    words: ['plan', 'tinny'],
    want: `no recipe is named "tinny"; did you mean "tiny"? The worker has: ${shipped('recipes').join(', ')}`,
  },
])('$words is not found', async ({ words, want }) => {
  const { exitCode, errors } = await temper([...words, '--direct'], { environment });
  expect([exitCode, errors]).toEqual([2, `temper: ${want}\n`]);
});

test('where no ledger is, it says where it looked', async () => {
  const folder = join(store, 'elsewhere');
  const { exitCode, errors } = await temper(['explain', 'demo', '--direct'], { environment: { TEMPER_STORE: folder } });
  expect([exitCode, errors]).toEqual([
    2,
    `temper: no ledger lies in ${folder}: name the store with TEMPER_STORE, or ask a worker\n`,
  ]);
});

describe('colours', () => {
  const words = ['explain', 'demo', '--direct'];
  const escape = '\u001b[';

  test('are there on a terminal', async () => {
    expect((await temperOnTerminal(words, { environment })).output).toContain(escape);
  });

  test('are not there on a terminal with NO_COLOR', async () => {
    const { output } = await temperOnTerminal(words, { environment: { ...environment, NO_COLOR: '1' } });
    expect(output).toContain('running');
    expect(output).not.toContain(escape);
  });

  test('are not there in a file', async () => {
    expect((await temper(words, { environment })).output).not.toContain(escape);
  });
});
