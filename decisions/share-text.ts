/**
 * A score as a person writes it: `40/50`, `80%` or `0.8`. What may mean two things is refused.
 *
 * Does not cover what it is a score of (score-entry.ts).
 */
import { TemperError } from './errors.ts';

export interface WrittenShare {
  readonly share: number;
  /** Of so many, where it says so. */
  readonly of: number | null;
}

/** Throws `invalid-input` with the field and the ways to write it. */
export function shareOf(field: string, written: string | number): WrittenShare {
  const text = String(written).trim();
  const refuse = (why: string) => new TemperError('invalid-input', `${field}: ${why}: write it 40/50, 80% or 0.8`);
  const fraction = /^(\d+(?:\.\d+)?)\s*\/\s*(\d+)$/.exec(text);
  if (fraction) {
    const [right, of] = [Number(fraction[1]), Number(fraction[2])];
    if (of === 0 || right > of) throw refuse(`is ${text}, which is no part of a whole`);
    return { share: right / of, of };
  }
  const percent = /^(\d+(?:\.\d+)?)\s*%$/.exec(text);
  if (percent) {
    if (Number(percent[1]) > 100) throw refuse(`is ${text}, above 100 %`);
    return { share: Number(percent[1]) / 100, of: null };
  }
  if (!/^\d*\.?\d+(?:e-?\d+)?$/i.test(text)) throw refuse(`is "${text}", which is no score`);
  const number = Number(text);
  if (number === 1) throw refuse('is 1, which may be 1 % or all of them');
  if (number > 1) throw refuse(`is ${text}, which may be percent or a count`);
  return { share: number, of: null };
}
