/** Version numbers: read from what programs print, and compared part by part. */

/** The first `1.2` or `1.2.3` in a text as numbers, or undefined. */
export function readVersion(text) {
  const found = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text ?? '');
  return found ? [Number(found[1]), Number(found[2]), Number(found[3] ?? 0)] : undefined;
}

/** Is `version` the same as `least`, or newer? */
export function isAtLeast(version, least) {
  for (let part = 0; part < least.length; part += 1) {
    if (version[part] !== least[part]) return version[part] > least[part];
  }
  return true;
}
