/** What `temper doctor` prints: a line for each thing, what adds it where it is missing, and what that comes to. */
import { type HealthCheck, healthSummary, type HealthVerdict, isHealthy } from '../../decisions/health-check.ts';
import { coloured } from './colour.ts';

const widest = 100;
const words: Readonly<Record<HealthVerdict, string>> = {
  ok: 'ok',
  missing: 'missing',
  warning: 'warning',
  'not-checked': 'not checked',
};
const meanings = { ok: 'good', missing: 'bad', warning: 'waiting', 'not-checked': 'waiting' } as const;
const verdictWidth = 13;
const nameWidth = 13;
const indent = ' '.repeat(verdictWidth + nameWidth);

export function checksText(title: string, checks: readonly HealthCheck[]): string {
  return [title, '', ...checks.flatMap(linesOf), '', conclusion(checks)].join('\n');
}

function linesOf({ name, verdict, what, mend }: HealthCheck): string[] {
  const [first = '', ...rest] = wrapped(what, widest - indent.length);
  const head = `${coloured(meanings[verdict], words[verdict].padEnd(verdictWidth))}${name.padEnd(nameWidth)}${first}`;
  const change = wrapped(mend?.change ?? '', widest - indent.length - 2).map(
    (line, index) => `${index === 0 ? '→ ' : '  '}${line}`,
  );
  const command = (mend?.command ?? '').split('\n').map((line, index) => `${index === 0 ? '  $ ' : '    '}${line}`);
  return [
    head,
    ...rest.map((line) => `${indent}${line}`),
    ...(mend?.change === undefined ? [] : change.map((line) => `${indent}${line}`)),
    ...(mend?.command === undefined ? [] : command),
  ];
}

/** Broken at spaces; a word that is longer than a line keeps its own. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.replaceAll(/\s+/g, ' ').trim().split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function conclusion(checks: readonly HealthCheck[]): string {
  const summary = healthSummary(checks);
  if (summary === null) return 'Everything that is needed is there.';
  return isHealthy(checks) ? `Nothing is known to be missing: ${summary}.` : `Not ready: ${summary}.`;
}
