/**
 * The commands that add what is missing, as a person copies them into a shell: in lines of at most 96 characters where that can be.
 *
 * Words in capitals are for the person to fill in. Does not cover when which is told (judge-*.ts).
 */
import type { KubernetesProfile } from '../../configs/schema-profile.ts';

type Place = Pick<KubernetesProfile, 'namespace' | 'context'>;

const widest = 96;

/** `kubectl` of the profile's context, in its namespace. */
export function kubectlIn({ namespace, context }: Place, ...words: readonly string[]): string {
  return kubectl({ context }, '-n', namespace, ...words);
}

/** `kubectl` of the profile's context, for what belongs to the whole cluster. */
export function kubectl({ context }: Pick<Place, 'context'>, ...words: readonly string[]): string {
  return shellLines(['kubectl', ...(context === undefined ? [] : ['--context', context]), ...words].map(quoted));
}

/** Creates an object that no `kubectl create <kind>` makes. */
export function createObject(place: Place, object: object): string {
  return `echo '${brokenJson(object)}' |\n  ${kubectlIn(place, 'create', '-f', '-')}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./<>-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function shellLines(words: readonly string[]): string {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    if (line !== '' && `${line} ${word} \\`.length > widest) {
      lines.push(`${line} \\`);
      line = `  ${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}

/** JSON may be broken after any comma between fields. */
function brokenJson(object: object): string {
  const pieces = JSON.stringify(object).split(/(?<=[\]}"],)(?=")/);
  const lines: string[] = [];
  let line = '';
  for (const piece of pieces) {
    if (line !== '' && line.length + piece.length > widest - 8) {
      lines.push(line);
      line = '';
    }
    line += piece;
  }
  return [...lines, line].join('\n  ');
}
