/** A change of the workflows that would break running pipelines does not pass: every kept history must replay as it was. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { interceptorsOf } from '../../workers/workflow-bundle.ts';
import { installRuntime } from '../../workers/temper-worker.ts';
import { workflowNames } from '../../workflows/contract.ts';
import { kept, paths, question, sweep } from './story-paths.ts';

interface HistoryEvent {
  readonly eventType: string;
  readonly activityTaskScheduledEventAttributes?: { activityType: { name: string } };
  readonly workflowExecutionStartedEventAttributes?: { readonly workflowId: string; workflowType: { name: string } };
}
interface History {
  readonly events: HistoryEvent[];
}

const folder = new URL('../histories/', import.meta.url);
/** Those of releases lie in folders of their own: what runs under a release is replayed until no pipeline of it can run any more. */
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.json'))
  .sort();
const textOf = (file: string) => readFileSync(new URL(file, folder), 'utf8');
const historyOf = (file: string) => JSON.parse(textOf(file)) as History;

const quiet = new DefaultLogger('ERROR', () => undefined);
let code: { readonly code: string };
beforeAll(async () => {
  installRuntime(() => undefined);
  const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));
  code = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: interceptorsOf(workflowsPath),
    logger: quiet,
  });
});

/** What went wrong with each, by file; null where it replayed as it was. */
async function replayed(histories: Readonly<Record<string, History>>): Promise<Record<string, string | null>> {
  const entries = Object.entries(histories);
  const results = Worker.runReplayHistories(
    { workflowBundle: code },
    // Ids of children come from the workflow id: with another one, a good history would not match.
    entries.map(([, history]) => ({ workflowId: startOf(history)?.workflowId ?? '', history })),
  );
  const problems: Record<string, string | null> = {};
  let index = 0;
  for await (const { error } of results) {
    problems[entries[index]?.[0] ?? ''] = error === undefined ? null : `${error.name}: ${error.message}`;
    index += 1;
  }
  return problems;
}

const startOf = (history: History) => history.events[0]?.workflowExecutionStartedEventAttributes;

test('every path is kept, with a run of each workflow', () => {
  const wanted = paths.flatMap(({ name, tells }) =>
    [...kept, ...(tells ? ['notification'] : [])].map((run) => `${name}.${run}.json`),
  );
  expect(files).toEqual(expect.arrayContaining([...wanted, `${question.name}.run.json`, `${sweep.name}.run.json`]));
  const types = new Set(files.map((file) => startOf(historyOf(file))?.workflowType.name));
  expect(types).toEqual(new Set(Object.values(workflowNames)));
});

test('every release of the changelog has the histories of its runs', () => {
  const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
  const releases = [...changelog.matchAll(/^## v?(\d+\.\d+\.\d+)/gm)].map(([, version]) => version ?? '');
  const kept = new Set(files.filter((file) => file.includes('/')).map((file) => file.replace(/\/.*/, '')));
  expect([...kept]).toEqual(expect.arrayContaining(releases));
});

test('every kept history replays as it was', async () => {
  const problems = await replayed(Object.fromEntries(files.map((file) => [file, historyOf(file)])));
  expect(problems).toEqual(Object.fromEntries(files.map((file) => [file, null])));
});

test('a history that the workflows would not write is refused, of each workflow', async () => {
  const names = [
    ...kept.map((run) => `straight.${run}`),
    `${question.name}.run`,
    `${sweep.name}.run`,
    'told.notification',
  ];
  const changed = Object.fromEntries(
    names.map((name) => {
      const history = historyOf(`${name}.json`);
      const event = history.events.find(({ activityTaskScheduledEventAttributes: scheduled }) => scheduled);
      if (event?.activityTaskScheduledEventAttributes) {
        event.activityTaskScheduledEventAttributes.activityType.name = 'anotherActivity';
      }
      return [name, history];
    }),
  );
  const problems = await replayed(changed);
  for (const name of names) expect(problems[name]).toMatch(/^DeterminismViolationError: .*TMPRL1100/);
});

describe('what is kept', () => {
  test('names no machine: neutral identities, no paths, no stacks', () => {
    for (const file of files) {
      const text = textOf(file);
      const identities = [...text.matchAll(/"identity":"([^"]*)"/g)].map(([, identity]) => identity);
      expect(new Set([...identities, 'worker', 'person', 'history-service']).size).toBe(3);
      expect(text).not.toMatch(/\/(home|root|Users|work|tmp)\//);
      expect(text).not.toMatch(/"stackTrace":"[^"]/);
      expect(payloadsOf(text).join('\n')).not.toMatch(/\/(home|root|Users|work|tmp)\//);
    }
  });

  test('is small', () => {
    for (const file of files) expect([file, textOf(file).length < 100_000]).toEqual([file, true]);
  });
});

/** The values that lie in it, which history keeps as base64. */
function payloadsOf(text: string): string[] {
  return [...text.matchAll(/"data":"([^"]*)"/g)].map(([, data]) => Buffer.from(data ?? '', 'base64').toString());
}
