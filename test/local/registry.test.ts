/** The folder of live jobs, with what does not belong there. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jobRegistry } from '../../local/registry.ts';

const root = await mkdtemp(join(tmpdir(), 'temper-registry-'));
afterAll(() => rm(root, { recursive: true }));

test('a file that is no job’s is passed over, whatever it is called', async () => {
  const registry = jobRegistry(root);
  await registry.open();
  const job = { name: 'sums/sft 1', uid: 'u', directory: '/d' };
  await registry.announce(job);
  for (const name of ['%.json', '%E0%A4%A.json', 'notes.txt']) await writeFile(join(registry.folder, name), '{}');
  expect(await registry.entries()).toEqual([job]);
  expect(registry.nameOf('%.json')).toBeNull();
});
