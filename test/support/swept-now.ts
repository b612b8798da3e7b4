/** The schedule `nightly`, triggered from the command line. */
import type { Client } from '@temporalio/client';
import type { SweepReport } from '../../decisions/sweep.ts';
import type { Said } from './command-line.ts';
import { eventually } from './eventually.ts';

/** Triggers the schedule, and waits for what its sweep reports. */
export async function sweptNow(client: Client, say: (...words: string[]) => Promise<Said>): Promise<SweepReport> {
  const runs = async () => (await client.schedule.getHandle('nightly').describe()).info.recentActions;
  const before = (await runs()).length;
  expect((await say('schedule', 'trigger', 'nightly')).exitCode).toBe(0);
  const { workflowId } = await eventually('the schedule has started its sweep', 60, async () => {
    const all = await runs();
    return all.length > before ? (all.at(-1)?.action.workflow ?? null) : null;
  });
  return (await client.workflow.getHandle(workflowId).result()) as SweepReport;
}
