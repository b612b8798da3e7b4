/** `temper nodes`: which nodes jobs keep away from and why; `temper nodes forget` trusts one again. */
import { Command } from 'commander';
import type { NodesQuestion } from '../../workflows/contract-questions.ts';
import { byOption, jsonOption } from './options.ts';
import { say, sayJson } from './output.ts';

interface Options {
  readonly json?: true;
}

export function nodes(): Command {
  return (
    new Command('nodes')
      .description(
        'Lists the nodes that jobs of every pipeline keep away from where they can, because a GPU, a link or the like failed on them, with what failed, when and until when. A cordon is yours to give: temper doctor prints its command.',
      )
      .addOption(jsonOption())
      // `--json` behind `forget` is forget's.
      .enablePositionalOptions()
      .addHelpText('after', '\nExamples:\n  $ temper nodes\n  $ temper nodes forget gpu-7')
      .action(async ({ json }: Options) => {
        await show({ question: 'nodes' }, json);
      })
      .addCommand(forget())
  );
}

function forget(): Command {
  return new Command('forget')
    .description(
      'Trusts a node again that was mended: what failed on it before counts no more. Written down with who said so.',
    )
    .argument('<node>', 'its name')
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (node: string, { by, json }: Options & { readonly by: string }) => {
      await show({ question: 'nodes', forget: { node, by } }, json);
    });
}

async function show(question: NodesQuestion, json: true | undefined): Promise<void> {
  const [{ ask }, { nodesText }] = await Promise.all([import('./ask.ts'), import('../terminal/nodes-text.ts')]);
  const answer = await ask(question, { direct: false });
  if (json) sayJson(answer);
  else say(nodesText(answer));
}
