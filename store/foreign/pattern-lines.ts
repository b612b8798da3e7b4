/** A log that an own pattern reads, in linear time: no line can hold a worker up. */
import { RE2JS, type Matcher } from 're2js';
import { type LineReader, metricsOf } from './line-reader.ts';

/** Throws for what is no pattern with a group `step`; recipes are checked before (configs/pattern-problems.ts). */
export function patternLines({
  pattern,
  started,
}: {
  readonly pattern: string;
  readonly started?: string | undefined;
}): LineReader {
  const step = RE2JS.compile(pattern);
  const start = started === undefined ? null : RE2JS.compile(started);
  const names = Object.keys(step.namedGroups()).filter((name) => name !== 'step' && name !== 'of');
  const hasOf = Object.hasOwn(step.namedGroups(), 'of');
  return (line) => {
    const loaded = start?.matcher(line);
    if (loaded?.find() === true) return startedAt(loaded);
    const found = step.matcher(line);
    if (!found.find()) return null;
    const at = wholeNumber(found.group('step'));
    if (at === null) return null;
    const pairs = names.map((name) => [name, found.group(name) ?? ''] as const);
    return { kind: 'step', step: at, of: hasOf ? wholeNumber(found.group('of')) : null, metrics: metricsOf(pairs) };
  };
}

function startedAt(found: Matcher): ReturnType<LineReader> {
  const step = wholeNumber(found.group('step'));
  return step === null ? null : { kind: 'started', step };
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,12}$/.test(text.trim()) ? Number(text) : null;
}
