/**
 * Whether a text names a time zone as a Temporal server reads it: by its IANA name, letter for letter. Node.js takes other capitals too;
 * the server then knows no such zone.
 */
import { nearestName } from './nearest-name.ts';

/** What is wrong with it, with the right name where one is near; null for the name of a zone. */
export function zoneProblem(text: string): string | null {
  const canonical = canonicalName(text);
  if (canonical === null) {
    const near = nearestName(text, Intl.supportedValuesOf('timeZone'));
    return near === null ? `is no time zone: ${examples}` : `is no time zone; did you mean "${near}"?`;
  }
  const isRight = canonical.toLowerCase() === text.toLowerCase() ? canonical === text : isWrittenAsALink(text);
  return isRight ? null : `is written "${canonical}"`;
}

const examples = 'name one as Europe/Berlin, America/New_York or UTC';

/** Offsets such as `+02:00` are none. */
function canonicalName(text: string): string | null {
  if (!/^[A-Za-z]/.test(text)) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** Of a zone's second name, such as `Asia/Kolkata` or `EST5EDT`, Node.js does not say how it is written. */
function isWrittenAsALink(text: string): boolean {
  return /^[A-Z]/.test(text) && (!text.includes('/') || text !== text.toUpperCase());
}
