import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { documented, jsonSchemaText } from '../../configs/json-schema.ts';
import { repository } from '../../scripts/repository.ts';

const configs = join(repository, 'configs');

test.each(documented)('configs/%s.schema.json is what `temper validate --schema` writes', async (what) => {
  expect(await readFile(join(configs, `${what}.schema.json`), 'utf8')).toBe(jsonSchemaText(what));
});

test.each([
  { file: 'recipes/tiny.yaml', schema: '../recipe.schema.json' },
  { file: 'profiles/local.yaml', schema: '../profile.schema.json' },
  { file: 'schedules/nightly-eval.yaml', schema: '../schedule.schema.json' },
])('$file names its schema to editors', async ({ file, schema }) => {
  const [first] = (await readFile(join(configs, file), 'utf8')).split('\n');
  expect(first).toBe(`# yaml-language-server: $schema=${schema}`);
});
