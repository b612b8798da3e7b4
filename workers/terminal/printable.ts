/**
 * Text from outside on a terminal: what would move the cursor, colour or hide what is said is taken out.
 *
 * Covers a line, what Temper composes of many, and a log. Does not cover a script: what it reads stays as it was written.
 */

/** Escape sequences as a whole, then every other control character but tab and line break. */
const control =
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A line: it stays one. */
export const printable = (text: string): string => text.replaceAll(control, '').replaceAll('\n', '');

/** Those of colour.ts: they hide nothing, whoever wrote them. */
// eslint-disable-next-line no-control-regex -- as above
const ownColour = /^\u001b\[(?:1|22|3[1-3]|39|90)m$/;

/** Many lines, in which Temper's own colours stay. */
export const printableLines = (text: string): string =>
  text.replaceAll(control, (found) => (ownColour.test(found) ? found : ''));

/** A log: what a progress bar writes over and over stands line by line. */
export const printableLog = (text: string): string => text.replaceAll(/\r\n?/g, '\n').replaceAll(control, '');
