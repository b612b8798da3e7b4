/** `temper schedule`: nightly sweeps on the Temporal server. What it prints; what is done is workers/schedules.ts's. */
import { Command, InvalidArgumentError, Option } from 'commander';
import type { ScheduleHandle } from '@temporalio/client';
import { TemperError } from '../../decisions/errors.ts';
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
      await act(id, (handle) => handle.pause(why ?? 'Paused via temper schedule pause'));
      say(`schedule ${id} is paused; temper schedule unpause ${id} lets it go on`);
    });
}

function unpause(): Command {
  return named('unpause', 'Lets a paused schedule start sweeps again.')
    .addOption(reason())
    .action(async (id: string, { reason: why }: { reason?: string }) => {
      await act(id, (handle) => handle.unpause(why ?? 'Unpaused via temper schedule unpause'));
      say(`schedule ${id} goes on`);
    });
}

function trigger(): Command {
  return named('trigger', 'Starts a sweep now, unless one of the schedule runs.').action(async (id: string) => {
    await act(id, async (handle) => {
      const { triggerSweep } = await import('../schedules.ts');
      await triggerSweep(handle);
    });
    say(`schedule ${id} starts a sweep now: temper schedule list shows it`);
  });
}

function backfill(): Command {
  return named(
    'backfill',
    'Starts the sweeps that the schedule would have started in a time that is over, one after the other. Each evaluates what is due when it runs.',
  )
    .addOption(
      new Option('--from <time>', 'ISO 8601, such as 2026-11-28T00:00Z').argParser(moment).makeOptionMandatory(),
    )
    .addOption(new Option('--to <time>', 'the same').argParser(moment).makeOptionMandatory())
    .action(async (id: string, { from, to }: { from: Date; to: Date }) => {
      if (from >= to) throw new TemperError('invalid-input', '--from must be before --to');
      await act(id, (handle) => handle.backfill({ start: from, end: to, overlap: 'BUFFER_ALL' }));
      say(`schedule ${id} starts its sweeps from ${from.toISOString()} to ${to.toISOString()}, one after the other`);
    });
}

function deletion(): Command {
  return named('delete', 'Deletes the schedule. A sweep that runs goes on; what was evaluated stays.').action(
    async (id: string) => {
      await act(id, (handle) => handle.delete());
      say(`schedule ${id} is deleted`);
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

async function act(id: string, run: (handle: ScheduleHandle) => Promise<unknown>): Promise<void> {
  await withSchedules(async ({ client }) => {
    const { describedSweeps } = await import('../schedules.ts');
    const handle = client.schedule.getHandle(id);
    await found(id, async () => {
      await describedSweeps(handle);
      await run(handle);
    });
  });
}

/** Throws `not-found` where there is no schedule of this id. */
async function found<T>(id: string, ask: () => Promise<T>): Promise<T> {
  const { ScheduleNotFoundError } = await import('@temporalio/client');
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof ScheduleNotFoundError)) throw cause;
    throw new TemperError(
      'not-found',
      `there is no schedule "${id}" on this server; temper schedule list shows what there is`,
      { cause },
    );
  }
}
