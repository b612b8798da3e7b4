/** The table of what a worker may do is the one that its Role is made from. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { resourceText, rights } from '../../k8s/rights.ts';
import { repository } from '../../scripts/repository.ts';

test('the how-to names each right, and no other', async () => {
  const page = await readFile(join(repository, 'docs', 'how-to', 'run-on-a-cluster.md'), 'utf8');
  const [, table = ''] =
    /\| on \| a worker may \| because it \|\n\| --- \| --- \| --- \|\n((?:\|.*\n)+)/.exec(page) ?? [];
  const rows = rights.map((right) => `| \`${resourceText(right)}\` | ${right.verbs.join(', ')} | ${right.why} |\n`);
  expect(table).toBe(rows.join(''));
});
