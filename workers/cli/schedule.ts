/** `temper schedule`: nightly sweeps on the Temporal server. What it prints; what is done is workers/schedules.ts's. */
import { Command, InvalidArgumentError, Option } from 'commander';
import type * as actionsModule from '../schedule-actions.ts';
import type { Connected } from './connect.ts';
import { jsonOption } from './options.ts';
import { note, say, sayJson } from './output.ts';

export function schedule(): Command {
  return (
    new Command('schedule')
      .description(
        'Evaluates checkpoints every night: a schedule of the Temporal server starts the workflow evalSweep. A schedule may be made from a file or in the UI; edits in the UI stay when the file is applied again.',
      )
      // `--json` behind `list` is list's.
      .enablePositionalOptions()
      .addHelpText(
        'after',
        '\nExamples:\n  $ temper schedule apply -f configs/schedules/nightly-eval.yaml\n  $ temper schedule trigger nightly-eval',
      )
      .addCommand(apply())
      .addCommand(list())
      .addCommand(pause())
      .addCommand(unpause())
      .addCommand(trigger())
      .addCommand(backfill())
      .addCommand(deletion())
  );
}

function apply(): Command {
  return new Command('apply')
    .description(
      'Makes the schedule of a file, or brings it up to the file, and shows what changes. What was edited in the UI meanwhile stays; where the file has changed there too, nothing is changed and both are shown. Refuses a local time that a clock change skips or doubles; names what this machine does not have of what the file names.',
    )
    .requiredOption('-f, --file <path>', 'the schedule')
    .addOption(new Option('--dry-run', 'say what would change, and change nothing'))
    .addOption(jsonOption())
    .action(async ({ file, dryRun = false, json }: { file: string; dryRun?: boolean; json?: true }) => {
      const { givenSchedule } = await import('./given-schedule.ts');
      const given = await givenSchedule(file);
      await withSchedules(async ({ client, places }) => {
        const { scheduleWarnings } = await import('./schedule-warnings.ts');
        for (const warning of await scheduleWarnings(given, places)) note(`warning: ${warning}`);
        const [{ applySchedule }, { appliedText }] = await Promise.all([
          import('../schedules.ts'),
          import('../terminal/schedule-text.ts'),
        ]);
        const applied = await applySchedule(client, { schedule: given, taskQueue: places.taskQueue, dryRun });
        if (json) sayJson({ schedule: given.name, dryRun, ...applied });
        else say(appliedText(given.name, applied, dryRun));
      });
    });
}

function list(): Command {
  return new Command('list')
    .description('Shows every schedule of sweeps: its times, when it starts next, and what it skipped.')
    .addOption(jsonOption())
    .action(async ({ json }: { json?: true }) => {
      await withSchedules(async ({ client }) => {
        const [{ listSchedules }, { schedulesText }] = await Promise.all([
          import('../schedules.ts'),
          import('../terminal/schedule-text.ts'),
        ]);
        const schedules = await listSchedules(client);
        if (json) sayJson(schedules);
        else say(schedulesText(schedules));
      });
    });
}

const named = (name: string, description: string): Command =>
  new Command(name).description(description).argument('<schedule>', 'its id');

const reason = () => new Option('--reason <why>', 'why, for whoever reads it later');

function pause(): Command {
  return named('pause', 'Starts no sweep until it is unpaused. One that runs goes on.')
    .addOption(reason())
    .action(async (id: string, { reason: why }: { reason?: string }) => {
      await act(({ pauseSchedule }, { client }) => pauseSchedule(client, id, why));
    });
}

function unpause(): Command {
  return named('unpause', 'Lets a paused schedule start sweeps again.')
    .addOption(reason())
    .action(async (id: string, { reason: why }: { reason?: string }) => {
      await act(({ unpauseSchedule }, { client }) => unpauseSchedule(client, id, why));
    });
}

function trigger(): Command {
  return named('trigger', 'Starts a sweep now, unless one of the schedule runs.').action(async (id: string) => {
    await act(async ({ triggerSchedule }, connected) => {
      const { isPolled, pageOf } = await import('./connect.ts');
      const { workflowId, isOwn, taskQueue, paused } = await triggerSchedule(connected.client, id);
      if (!(await isPolled(connected, taskQueue)))
        note(`warning: no worker polls the task queue "${taskQueue}" of ${connected.address}: the sweep waits for one`);
      const sweep = workflowId === null ? null : { workflowId, isOwn, page: pageOf(connected, workflowId) };
      return `schedule ${id} ${startedText(sweep)}${paused ? '\nIt stays paused.' : ''}`;
    });
  });
}

function startedText(sweep: { readonly workflowId: string; readonly isOwn: boolean; readonly page: string } | null) {
  if (sweep === null) return 'starts a sweep now: `temper schedule list` shows it';
  const { workflowId, isOwn, page } = sweep;
  if (isOwn) return `has started ${workflowId}: ${page}`;
  return `has ${workflowId} running, which this or another trigger of the same moment started: ${page}`;
}

function backfill(): Command {
  return named(
    'backfill',
    'Starts the sweeps that the schedule would have started in a time that is over, one after the other, 31 at most. Each evaluates what is due when it runs.',
  )
    .addOption(
      new Option('--from <time>', 'ISO 8601, such as 2026-11-28T00:00Z').argParser(moment).makeOptionMandatory(),
    )
    .addOption(new Option('--to <time>', 'the same').argParser(moment).makeOptionMandatory())
    .action(async (id: string, { from, to }: { from: Date; to: Date }) => {
      await act(({ backfillSchedule }, { client }) => backfillSchedule(client, id, { from, to, now: new Date() }));
    });
}

function deletion(): Command {
  return named('delete', 'Deletes the schedule. A sweep that runs goes on; what was evaluated stays.').action(
    async (id: string) => {
      await act(({ deleteSchedule }, { client }) => deleteSchedule(client, id));
    },
  );
}

function moment(text: string): Date {
  const date = new Date(text);
  const isWithZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$/.test(text);
  if (isWithZone && !Number.isNaN(date.getTime())) return date;
  throw new InvalidArgumentError('It is written with its zone, as 2026-11-28T00:00Z or 2026-11-28T01:00+01:00.');
}

async function withSchedules(run: (connected: Connected) => Promise<void>): Promise<void> {
  const { withServer } = await import('./connect.ts');
  await withServer(run);
}

/** Prints what came of it. */
async function act(run: (actions: typeof actionsModule, connected: Connected) => Promise<string>): Promise<void> {
  const actions = await import('../schedule-actions.ts');
  await withSchedules(async (connected) => {
    say(await run(actions, connected));
  });
}
