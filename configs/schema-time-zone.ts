/**
 * Whether a text names a time zone as a Temporal server reads it: by its IANA name, letter for letter. Node.js takes other capitals too;
 * the server then knows no such zone.
 */
import { nearestName } from './nearest-name.ts';
import { timeZoneLinks } from './schema-time-zone-links.ts';

/** What is wrong with it, with the right name where one is near; null for the name of a zone. */
export function zoneProblem(text: string): string | null {
  if (timeZoneLinks.has(text)) return null;
  const canonical = canonicalName(text);
  if (canonical === text) return null;
  const right = [...timeZoneLinks, ...(canonical === null ? [] : [canonical])].find((known) => isSameWord(known, text));
  if (right !== undefined) return `is written "${right}"`;
  // Node.js also reads abbreviations such as BST, and not as most people mean them.
  const near = canonical === null ? nearestName(text, Intl.supportedValuesOf('timeZone')) : null;
  return near === null ? `is no time zone: ${examples}` : `is no time zone; did you mean "${near}"?`;
}

const isSameWord = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const examples = 'name one as Europe/Berlin, America/New_York or UTC';

/** Offsets such as `+02:00` are none, nor is what Node.js alone knows. */
function canonicalName(text: string): string | null {
  if (!/^[A-Za-z]/.test(text) || /^systemv\//i.test(text)) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}
