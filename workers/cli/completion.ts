/** `temper completion`: what a shell needs to complete commands and options, written once and read by the shell. */
import { Argument, Command } from 'commander';
import type { CommandEntry } from './command-entry.ts';
import { say } from './output.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly { readonly flag: string; readonly description: string }[];
  readonly takesFiles: boolean;
}

/** `commands` is all that is completed, this one included. */
export function completion(commands: readonly CommandEntry[]): Command {
  return new Command('completion')
    .description('Prints completion of commands and options for a shell.')
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .addHelpText(
      'after',
      `
Examples:
  $ source <(temper completion bash)                                 # in ~/.bashrc
  $ temper completion zsh > "\${fpath[1]}/_temper"
  $ temper completion fish > ~/.config/fish/completions/temper.fish`,
    )
    .action(async (shell: Shell) => {
      say(scripts[shell](await Promise.all(commands.map(completed))));
    });
}

async function completed({ name, summary, load }: CommandEntry): Promise<Completed> {
  const command = await load();
  const options = command.options.map((option) => ({
    flag: option.long ?? option.short ?? '',
    description: option.description,
  }));
  const takesFiles = name === 'validate' || command.options.some(({ long }) => long === '--file');
  return { name, summary, options: [...options, { flag: '--help', description: 'help' }], takesFiles };
}

const scripts: Readonly<Record<Shell, (commands: readonly Completed[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

const flagsOf = ({ options }: Completed) => options.map(({ flag }) => flag).join(' ');

function bashScript(all: readonly Completed[]): string {
  const cases = all.map((one) => `    ${one.name}) words="${flagsOf(one)}"; files=${one.takesFiles ? '1' : ''} ;;`);
  return `_temper() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words files=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${all.map(({ name }) => name).join(' ')} help" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words= ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ -n "$files" ] && [ "\${#COMPREPLY[@]}" -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _temper temper`;
}

function zshScript(all: readonly Completed[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''").replaceAll(':', '\\:')}'`;
  const described = (name: string, what: string) => `${quoted(name).slice(0, -1)}:${quoted(what).slice(1)}`;
  const cases = all.map((one) => `    ${one.name}) compadd -- ${flagsOf(one)}${one.takesFiles ? '; _files' : ''} ;;`);
  return `#compdef temper
_temper() {
  local -a commands
  commands=(
${all.map(({ name, summary }) => `    ${described(name, summary)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  case $words[2] in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = "_temper" ]; then _temper "$@"; else compdef _temper temper; fi`;
}

function fishScript(all: readonly Completed[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = all.flatMap(({ name, summary, options, takesFiles }) => [
    `complete -c temper -n __fish_use_subcommand ${takesFiles ? '' : '-f '}-a ${name} -d ${quoted(summary)}`,
    ...options.map(
      ({ flag, description }) =>
        `complete -c temper -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)} -d ${quoted(description)}`,
    ),
  ]);
  return lines.join('\n');
}
