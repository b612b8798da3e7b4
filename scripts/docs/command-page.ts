/** docs/reference/cli.md and bin/help.txt, from each command's own `--help`. */
import type { Command } from 'commander';
import { commands } from '../../workers/cli/commands.ts';
import { programFor } from '../../workers/cli/program.ts';
import { generatedNote, page } from './recipe-page.ts';

const columns = 110;
/** What a program takes that has no terminal. */
const plainColumns = 80;

export async function commandPage(): Promise<string> {
  const sections: string[] = [];
  // One after the other: Jest cannot link two modules at once that share a third.
  for (const { name } of commands) sections.push(`## temper ${name}`, fenced(helpOf(await commandNamed(name))));
  return page([
    generatedNote,
    '# Command line',
    'In a checkout, `temper` is `npx temper`. It speaks to a Temporal server only; what lies in a ledger or a store it asks a worker for ' +
      '(`--direct` reads those of this machine). Colours and bars come on a terminal alone, and never with `NO_COLOR`.',
    fenced(helpOf(await programFor([]))),
    ...sections,
  ]);
}

/** What `temper --help` prints. */
export async function programHelp(): Promise<string> {
  return `${helpOf(await programFor([]), plainColumns)}\n`;
}

/** The command with its options, as `temper <name>` has it. */
export async function commandNamed(name: string): Promise<Command> {
  const program = await programFor([name]);
  const command = program.commands.find((each) => each.name() === name);
  if (command === undefined) throw new Error(`there is no command ${name}`);
  return command;
}

/** What `--help` prints on a terminal so wide without colours. */
function helpOf(command: Command, width = columns): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => (text += part),
    getOutHelpWidth: () => width,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text.trimEnd();
}

const fenced = (text: string): string => `\`\`\`text\n${text}\n\`\`\``;
