/** The Python of the trainers. `scripts/run.mjs` sets it after set-up. */
export function readPython(): string {
  const python = process.env['TEMPER_PYTHON'];
  if (python === undefined) throw new Error('TEMPER_PYTHON is not set: start this by `npm run`, which sets up first.');
  return python;
}
