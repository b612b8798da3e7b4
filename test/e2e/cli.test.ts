/** The command line against a real server and a real worker: what a person does in a day. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { type Running, type Said, startTemper, temper } from '../support/command-line.ts';
import { type Embedded, startEmbedded } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../../scripts/free-ports.ts';
import { killProcessesOf, processesOf } from '../../scripts/processes-of-store.ts';
import { readSettings } from '../../workers/settings.ts';
import { sweptNow } from '../support/swept-now.ts';
import { careless, recipeText, shortRecipe } from '../support/short-recipe.ts';

const lmEval = join(import.meta.dirname, '../workers/eval-files/lm-eval/results_2026-11-30T14-22-22.425848.json');

let embedded: Embedded;
let worker: Running | undefined;
let environment: Record<string, string> = {};
let store = '';

beforeAll(async () => {
  embedded = await startEmbedded();
  store = join(embedded.folder, 'command-line');
  await mkdir(store);
  environment = {
    TEMPORAL_ADDRESS: embedded.address,
    TEMPER_UI_URL: embedded.uiUrl,
    TEMPER_TASK_QUEUE: 'command-line',
    TEMPER_STORE: store,
  };
  await writeFile(join(embedded.folder, 'mine.yaml'), recipeText(await shortRecipe(['base'], careless)));
});
afterAll(async () => {
  await worker?.stop();
  await killProcessesOf(store);
  await embedded.close();
});

const say = (...words: string[]): Promise<Said> => temper(words, { environment, folder: embedded.folder });

test('without a worker it says so at once, instead of waiting', async () => {
  const { exitCode, errors } = await say('start', '-f', 'mine.yaml');
  expect([exitCode, errors]).toEqual([
    69,
    expect.stringMatching(
      /^temper: no worker polls the task queue "command-line" of .*: start one with `temper up` or/,
    ),
  ]);
});

test('a namespace that is not there is named', async () => {
  const { exitCode, errors } = await temper(['status'], {
    environment: { ...environment, TEMPORAL_NAMESPACE: 'nowhere' },
  });
  expect([exitCode, errors]).toEqual([
    2,
    `temper: ${embedded.address} has no namespace "nowhere": name one with TEMPORAL_NAMESPACE\n`,
  ]);
});

test('doctor says which search attributes a namespace lacks, and --fix adds them', async () => {
  const { temporalCli } = readSettings(process.env);
  await promisify(execFile)(temporalCli, ['operator', 'namespace', 'create', '--address', embedded.address, 'fresh']);
  const inFresh = { environment: { ...environment, TEMPORAL_NAMESPACE: 'fresh' } };
  const attributes = async (...words: string[]) => {
    const { output } = await temper(['doctor', '--json', ...words], inFresh);
    return (JSON.parse(output) as { checks: { name: string }[] }).checks.find(({ name }) => name === 'attributes');
  };
  expect(await attributes()).toMatchObject({
    verdict: 'warning',
    what: expect.stringContaining('TemperState') as string,
  });
  expect(await attributes('--fix')).toMatchObject({ verdict: 'ok' });
  expect(await attributes()).toMatchObject({ verdict: 'ok' });
});

test('a worker, a pipeline from a file, and its end', async () => {
  worker = startTemper(['worker', '--recipe', 'tiny'], { environment });
  await worker.said('A worker polls the task queue "command-line"');
  const started = await say('start', '-f', 'mine.yaml', '--set', 'seed=3', '--id', 'walk', '--json');
  expect(JSON.parse(started.output)).toMatchObject({
    pipeline: 'walk',
    page: expect.stringContaining('/walk/') as string,
  });
  const again = await say('start', '-f', 'mine.yaml', '--id', 'walk');
  expect([again.exitCode, again.errors]).toEqual([2, expect.stringContaining('walk runs already: follow it with')]);

  const followed = await say('status', 'walk', '-f');
  expect(followed.output).toMatch(/\nbase: completed, attempt 1 /);
  expect(followed.exitCode).toBe(0);
  expect(JSON.parse((await say('status', '--json')).output)).toMatchObject([{ pipeline: 'walk', state: 'completed' }]);
});

test.each<{ words: string[]; exitCode?: number; want: RegExp }>([
  {
    words: ['plan', '-f', 'mine.yaml', '--set', 'seed=3'],
    want: /base {2}reuse {2}Reused from walk .*\n[^]*\nseed +3 +--set\n/,
  },
  { words: ['plan', '-f', 'mine.yaml'], want: /base {2}run {4}Runs: seed was 3 and is now 1, compared with walk / },
  { words: ['explain', 'walk'], want: /\n {2}[\d:]+ {2}attempt 1 +Attempt 1: completed after \d+ (s|min)\.\n/ },
  { words: ['explain', 'walk', 'base', '--attempt', '1', '--evidence'], want: /attempt 1 +Attempt 1: completed after/ },
  { words: ['explain', 'walk', '--attempt', '9'], exitCode: 2, want: /there is no attempt 9; there are: 1/ },
  { words: ['logs', 'walk', '-n', '1'], want: /^completed at step 40\n$/ },
  { words: ['logs', 'walk', '-f', '-n', '1'], want: /^completed at step 40\n\n$/ },
  { words: ['logs', 'walk', '--rank', '0', '-n', '1'], want: /^completed at step 40\n$/ },
  {
    words: ['logs', 'walk', '--rank', '3'],
    exitCode: 2,
    want: /attempt 1 of base has no log of rank 3; there are: 0\./,
  },
  { words: ['nodes'], want: /^The jobs of this worker run on one machine: there is no node to choose\.\n$/ },
  { words: ['nodes', 'forget', 'gpu-7'], exitCode: 2, want: /on one machine: there is no node to forget/ },
  { words: ['leaderboard', 'walk'], want: /^Nothing was evaluated yet\.\n$/ },
  { words: ['leaderboard'], want: /^Nothing was evaluated yet\.\n$/ },
  { words: ['leaderboard', '--pipeline', 'walks'], exitCode: 2, want: /no pipeline "walks" .* did you mean "walk"\?/ },
  { words: ['compare', 'walk/base', 'walk/base'], exitCode: 2, want: /both are walk\/base\/a1\/checkpoint-40/ },
  {
    words: ['lineage', 'walk/base'],
    want: /^walk\/base\/a1\/checkpoint-40 \(hf, sealed\)\n {2}base of walk \(recipe tiny\): steps 0–40 in attempt 1\n/,
  },
  {
    words: ['lineage', 'walk/bsae'],
    exitCode: 2,
    want: /no checkpoint "walk\/bsae" is in the ledger; did you mean "walk\/base"\?/,
  },
  {
    words: ['pin', 'walk/base/a1/checkpoint-20', '--by', 'ada'],
    want: /^Pinned walk\/base\/a1\/checkpoint-20: no pruning deletes it\.\n$/,
  },
  { words: ['prune', 'walk', '--dry-run'], want: /walk\/base\/a1\/checkpoint-20: pinned\n/ },
  {
    words: ['prune', 'walk', '--dry-run', '--yes'],
    exitCode: 2,
    want: /'-n, --dry-run' cannot be used with option '-y, --yes'/,
  },
  { words: ['explain', 'walk'], want: /ada pinned walk\/base\/a1\/checkpoint-20\./ },
  {
    words: ['unpin', 'walk/base/a1/checkpoint-40'],
    want: /^Unpinned walk\/base\/a1\/checkpoint-40\. It stays all the same: promoted\.\n$/,
  },
  { words: ['link', 'walk'], want: /^http.*\/namespaces\/default\/workflows\/walk\/.+\n$/ },
  { words: ['link'], want: /start-workflow\?taskQueue=command-line&workflowType=postTrainingPipeline&runId=/ },
  { words: ['cancel', 'walk'], want: /^walk has ended already \(completed\)\.\n$/ },
  { words: ['hold', 'walk'], exitCode: 2, want: /there is no pipeline "walk" that runs on this server/ },
  { words: ['release', 'walk'], exitCode: 2, want: /there is no pipeline "walk" that runs on this server/ },
  { words: ['status', 'walks'], exitCode: 2, want: /there is no pipeline "walks" on this server/ },
  { words: ['explain', 'wlak'], exitCode: 2, want: /no pipeline "wlak" is in the ledger; did you mean "walk"\?/ },
  { words: ['start', 'tinny'], exitCode: 2, want: /no recipe is named "tinny"; did you mean "tiny"\?/ },
  { words: ['status', 'tinny'], want: /^tinny: failed .*\n\nno recipe is named "tinny"; did you mean "tiny"\? .*\n$/ },
  { words: ['start', '--set', 'sede=1'], exitCode: 2, want: /set: sede: is no field here; did you mean "seed"\?/ },
  {
    words: ['import-eval', lmEval, '--checkpoint', 'walk/base', '--task', 'tiny_choice', '--by', 'ada'],
    want: /^Imported as [0-9a-f]{12}: lm-eval-tiny-choice, version 1, 16\.7 % of 6 problems, acc,none of tiny_choice by lm-eval, from samples_tiny_choice_.*\.jsonl\.\n$/,
  },
  {
    words: ['import-eval', lmEval, '--checkpoint', 'walk/base', '--task', 'tiny_choice'],
    want: /^Nothing new: samples_tiny_choice_.*\.jsonl was imported as [0-9a-f]{12} \(lm-eval-tiny-choice, version 1\) by ada at /,
  },
  { words: ['leaderboard', 'walk'], want: /\nbase +40 +lm-eval-tiny-choice +6×1 +0\.167 / },
  {
    words: ['import-eval', 'mine.yaml', '--checkpoint', 'walk/base'],
    exitCode: 2,
    want: /mine\.yaml: is no JSON \(.*\)\. Accepted are results_<date>\.json of lm-eval/,
  },
])('$words', async ({ words, exitCode = 0, want }) => {
  const said = await say(...words);
  expect(exitCode === 0 ? said.output : said.errors).toMatch(want);
  expect([said.exitCode, exitCode === 0 ? '' : said.output]).toEqual([exitCode, '']);
});

test('a schedule from a file, triggered: its sweep evaluates the champion, and a second one finds nothing due', async () => {
  const file = (at: string) =>
    `name: nightly\nat: ["${at}"]\ntimeZone: Europe/Berlin\nsweep: {benchmarks: [addition], seeds: 1, gpuHours: 1}\n`;
  await writeFile(join(embedded.folder, 'nightly.yaml'), file('02:30'));
  const refused = await say('schedule', 'apply', '-f', 'nightly.yaml');
  expect([refused.exitCode, refused.errors]).toEqual([
    2,
    expect.stringMatching(/at: 02:30 in Europe\/Berlin .* 03:00 comes exactly once every day\n$/),
  ]);
  await writeFile(join(embedded.folder, 'nightly.yaml'), file('03:00'));
  expect((await say('schedule', 'apply', '-f', 'nightly.yaml')).output).toMatch(/^schedule nightly is created\n/);
  expect((await say('schedule', 'apply', '-f', 'nightly.yaml')).output).toBe('schedule nightly is as the file says\n');
  const reports = [await sweptNow(embedded.client, say), await sweptNow(embedded.client, say)];
  const [champion] = reports[0]?.rows ?? [];
  expect(champion).toMatchObject({
    checkpoint: 'walk/base/a1/checkpoint-40',
    benchmark: 'addition',
    problems: 20,
    seeds: 1,
  });
  expect(reports).toMatchObject([
    { outcome: 'completed', evaluated: 1, skipped: [], comparedWith: null },
    { outcome: 'completed', evaluated: 0, skipped: [], regressions: [], rows: [champion] },
  ]);
  expect((await say('explain', 'nightly')).output).toMatch(
    /^nightly-20\S+: sweep nightly, completed[^]*\nNothing is worse than in the sweep of .*: 1 score is of the same checkpoint as then, by the same evaluations\.\n[^]*\n {2}walk\/base\/a1\/checkpoint-40: champion of walk\n/,
  );
  expect((await say('leaderboard', 'nightly')).output).toMatch(
    /^addition, version 1, best first:\n\n[^]*\nwalk +base /,
  );
  const [first] = (await embedded.client.schedule.getHandle('nightly').describe()).info.recentActions;
  expect((await say('logs', first?.action.workflow.workflowId ?? '')).errors).toMatch(
    /^sweep evaluation job 1 \(completed\): /,
  );
  expect((await say('schedule', 'delete', 'nightly')).exitCode).toBe(0);
  expect((await say('schedule', 'pause', 'nightly')).errors).toMatch(
    /^temper: there is no schedule "nightly" on this server/,
  );
});

test('of a pipeline that is terminated by hand, explain says who did it and why, its job is stopped, and its log ends', async () => {
  await say('start', '-f', 'mine.yaml', '--set', 'seed=7', '--id', 'ended');
  await eventually('its job has begun', 600, async () => (await say('logs', 'ended')).exitCode === 0);
  await embedded.client.workflow.getHandle('ended').terminate('the cluster moves');
  expect((await say('logs', 'ended', '-f')).errors).toMatch(/\nIt was terminated at .* \(the cluster moves\), .*\n$/);
  const explained = await eventually('its phase is cancelled', 600, async () => {
    const { output } = await say('explain', 'ended');
    return output.includes('\nbase: cancelled\n') && output;
  });
  expect(explained).toMatch(
    /^ended: recipe tiny, terminated, .*\n\nIt was terminated at .* UTC by .* \(the cluster moves\), and wrote no end of its own\.\n/,
  );
});

test('the status of what is no pipeline is where its page is', async () => {
  const { exitCode, errors } = await say('status', 'walk/base');
  expect([exitCode, errors]).toEqual([
    2,
    expect.stringMatching(/^temper: "walk\/base" is a run of trainPhase, no pipeline: what it does stands on http/),
  ]);
});

test('a worker that is a version of a deployment gets work once that version is the current one', async () => {
  const own = { ...environment, TEMPER_TASK_QUEUE: 'versioned' };
  const [name, version] = [
    ['--deployment-name', 'temper'],
    ['--build-id', 'v2'],
  ];
  const { temporalCli } = readSettings(process.env);
  const versioned = startTemper(['worker', '--deployment', 'temper', '--build-id', 'v2'], { environment: own });
  try {
    await versioned.said('A worker polls the task queue "versioned"');
    expect(await temper(['nodes'], { environment: own })).toMatchObject({
      exitCode: 69,
      errors: expect.stringMatching(/^temper: no worker on the task queue "versioned" answered within 10 s/) as string,
    });
    const current = ['worker', 'deployment', 'set-current-version', '--yes', ...name, ...version];
    await promisify(execFile)(temporalCli, [...current, '--address', embedded.address]);
    const { output } = await temper(['nodes', '--json'], { environment: own });
    expect(JSON.parse(output)).toMatchObject({ suspects: [] });
    const { workflow } = embedded.client;
    const query = 'TaskQueue = "versioned" and ExecutionStatus = "Completed"';
    const [run] = await eventually('its answer is listed', 600, async () => {
      const listed: WorkflowExecutionInfo[] = [];
      for await (const each of workflow.list({ query })) listed.push(each);
      return listed.length > 0 ? listed : null;
    });
    const { raw } = await workflow.getHandle(run?.workflowId ?? '').describe();
    expect(raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion).toMatchObject({
      deploymentName: 'temper',
      buildId: 'v2',
    });
  } finally {
    await versioned.stop();
  }
});

test('a worker that has left is missed within seconds', async () => {
  expect(await worker?.stop()).toMatchObject({
    exitCode: 0,
    output: expect.stringContaining('The worker has left') as string,
  });
  const { exitCode, errors } = await say('leaderboard', 'walk');
  // The server counts it among the pollers for a while.
  expect(errors).toMatch(
    /^temper: no worker (polls the task queue "command-line"|on the task queue "command-line" answered within 10 s)/,
  );
  expect(exitCode).toBe(69);
});

test('what was started is said first, and then that no worker has answered yet', async () => {
  const { connection } = embedded.client;
  const taskQueue = { name: 'mute' };
  // Takes a task, and never answers: as a worker that has just been killed.
  const mute = connection.withDeadline(Date.now() + 60_000, () =>
    connection.workflowService.pollWorkflowTaskQueue({ namespace: 'default', taskQueue, identity: 'mute' }),
  );
  await eventually('the server knows of the poller', 600, async () => {
    const { pollers } = await connection.workflowService.describeTaskQueue({ namespace: 'default', taskQueue });
    return pollers.length > 0;
  });
  const { exitCode, output, errors } = await temper(['start', '-f', 'mine.yaml', '--id', 'unheard', '--follow'], {
    environment: { ...environment, TEMPER_TASK_QUEUE: 'mute' },
    folder: embedded.folder,
  });
  await mute;
  expect(output).toMatch(/^Started unheard: http\S+\/unheard\/\S+\n$/);
  expect([exitCode, errors]).toEqual([
    69,
    'temper: unheard is started and goes on as soon as a worker answers: look with `temper status unheard`. Until now no worker on the task queue "mute" answered within 10 s: is it still running?\n',
  ]);
  await embedded.client.workflow.getHandle('unheard').terminate('the test is over');
});

test('up brings everything, and Ctrl-C leaves nothing', async () => {
  const [port, uiPort] = await freePorts();
  const home = join(embedded.folder, 'up');
  const { TEMPORAL_ADDRESS: _address, TEMPER_UI_URL: _url, ...rest } = environment;
  const own = { ...rest, TEMPER_STORE: home, TEMPER_PORT: String(port), TEMPER_UI_PORT: String(uiPort) };
  const up = startTemper(['up', '--health-port', '0'], { environment: own });
  const printed = await up.said('Ctrl-C stops');
  const health = await fetch(`${/Health +(http:\S+)/.exec(printed)?.[1] ?? ''}/readyz`);
  expect(await health.text()).toBe('worker: ok\ntemporal: ok\nbackend: ok\n');
  expect(printed).toMatch(/Start a pipeline http:\S+start-workflow\?\S+runId=/);
  expect((await temper(['status'], { environment: own })).output).toMatch(/^No pipeline is known here/);
  expect(await up.stop()).toMatchObject({ exitCode: 0 });
  expect(await processesOf(home)).toEqual([]);
});
