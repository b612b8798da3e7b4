/** `bin/temper.mjs` by itself: what it says before anything is set up. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../../../scripts/repository.ts';

test('in a clone that is not set up, it says what to run', async () => {
  const clone = await mkdtemp(join(tmpdir(), 'temper-clone-'));
  for (const file of ['bin/temper.mjs', 'bin/lean-process.mjs', 'scripts/child.mjs']) {
    await mkdir(join(clone, file, '..'), { recursive: true });
    await copyFile(join(repository, file), join(clone, file));
  }
  const run = promisify(execFile)(process.execPath, [join(clone, 'bin', 'temper.mjs'), '--help']);
  await expect(run).rejects.toMatchObject({
    code: 69,
    stderr: `temper: nothing is set up here: run \`npm run setup\` in ${clone}/\n`,
  });
  await rm(clone, { recursive: true });
});
