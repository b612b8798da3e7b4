/** The machine that we are on, as toolchain.ts asks about it. */
import { onPath, probe } from '../../../scripts/setup/commands.mjs';
import type { Machine } from './toolchain.ts';

export function thisMachine(environment: NodeJS.ProcessEnv): Machine {
  return {
    platform: process.platform,
    architecture: process.arch,
    isRoot: process.getuid?.() === 0,
    has: (program) => (onPath(program, environment) as string[]).length > 0,
    // GOTOOLCHAIN=local: the Go that is here, not one that it would fetch.
    goVersion: () => probe('go', ['version'], { ...environment, GOTOOLCHAIN: 'local' }),
  };
}
