/** Says before anything starts that a program cannot be run, and which variable names it. */
import { accessSync, constants } from 'node:fs';
import { TemperError } from '../decisions/errors.ts';

/** Throws `environment-unusable` unless the file exists and may be executed. */
export function mustBeProgram(path: string, variable: string): void {
  try {
    accessSync(path, constants.X_OK);
  } catch (cause) {
    throw new TemperError(
      'environment-unusable',
      `${path} cannot be run: let ${variable} name another program, or unset it and run \`npm run setup\``,
      { cause },
    );
  }
}
