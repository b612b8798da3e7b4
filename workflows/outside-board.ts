/**
 * Scores from outside on the page of a pipeline: what it was told of them, message by message.
 *
 * Covers messages that overtake each other, those of older workers, and how many rows are kept. Does not cover what a row says.
 */
import type { OutsideRow } from '../decisions/outside-rows.ts';
import { mostRowsOfPage, type OutsideOfPipeline, scoreKeyText } from '../decisions/shown-scores.ts';

export interface OutsideBoard {
  hear(outside: OutsideOfPipeline): void;
  /** Of phases of these names nothing is known any more. */
  forget(phases: ReadonlySet<string>): void;
  rows(): readonly OutsideRow[];
  /** How many more rows there are in the ledger. */
  leftOut(): number;
}

/** What is gone is remembered, so that a message that was overtaken does not bring it back. */
const mostGone = 100;

interface Heard {
  /** Null: there is nothing any more. */
  readonly row: OutsideRow | null;
  readonly asOf: string;
}

export function outsideBoard(): OutsideBoard {
  let heard = new Map<string, Heard>();
  let total = 0;
  let newest = '';
  const rows = () => [...heard.values()].flatMap(({ row }) => row ?? []);

  function keep(key: string, one: Heard): void {
    if ((heard.get(key)?.asOf ?? '') > one.asOf) return;
    heard.delete(key);
    heard.set(key, one);
    const isGone = one.row === null;
    const alike = [...heard].filter(([, { row }]) => (row === null) === isGone);
    for (const [oldest] of alike.slice(0, isGone ? -mostGone : -mostRowsOfPage)) heard.delete(oldest);
  }

  return {
    rows,
    leftOut: () => Math.max(0, total - rows().length),
    forget(phases) {
      const gone = [...heard].filter(([, { row }]) => row !== null && phases.has(row.phase));
      for (const [key] of gone) heard.delete(key);
      total -= gone.length;
    },
    hear({ rows: told, asOf, changed, leftOut = 0 }) {
      const isNewest = asOf >= newest;
      if (isNewest) [newest, total] = [asOf, changed?.total ?? told.length + leftOut];
      if (changed === undefined) {
        if (isNewest) heard = new Map(told.map((row) => [scoreKeyText(row), { row, asOf }]));
        return;
      }
      const byKey = new Map(told.map((row) => [scoreKeyText(row), row]));
      for (const key of changed.keys.map(scoreKeyText)) keep(key, { row: byKey.get(key) ?? null, asOf });
    },
  };
}
