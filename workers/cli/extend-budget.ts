/** `temper extend-budget`: raises what a pipeline that runs may spend. */
import { Command, InvalidArgumentError, Option } from 'commander';
import type { ExtendBudgetInput } from '../../configs/schema-input-steering.ts';
import { type SaidBy, wholeNumber, withSaidBy } from './options.ts';
import { sendUpdate } from './send-update.ts';

interface Options extends SaidBy {
  readonly attempts?: number;
  readonly gpuHours?: number;
  readonly evaluations?: number;
}

export function extendBudget(): Command {
  const command = new Command('extend-budget')
    .description(
      'Raises what a pipeline that runs may spend. Each is the whole budget from now on, not what is added, and can be made larger only. A phase that is held stays so: release it.',
    )
    .argument('<pipeline>', 'its workflow id')
    .addOption(new Option('--attempts <count>', 'charged attempts of one phase').argParser(wholeNumber))
    .addOption(new Option('--gpu-hours <hours>', 'hours that the jobs of one phase may run').argParser(hours))
    .addOption(new Option('--evaluations <count>', 'evaluations of the whole pipeline').argParser(wholeNumber))
    .addHelpText('after', '\nExample:\n  $ temper extend-budget tiny --evaluations 200')
    .action(async (pipeline: string, { attempts, gpuHours, evaluations, ...said }: Options) => {
      const input: ExtendBudgetInput = { budgets: { attempts, gpuHours, evaluations }, ...said };
      await sendUpdate(pipeline, 'extendBudget', input);
    });
  return withSaidBy(command);
}

function hours(text: string): number {
  const number = Number(text);
  if (!Number.isFinite(number) || number <= 0) throw new InvalidArgumentError('It must be a number above 0.');
  return number;
}
