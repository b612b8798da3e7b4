/** `npm run docs`: writes what is written from the code: pages of docs/reference, and the JSON Schemas that editors read. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { documented, jsonSchemaText } from '../configs/json-schema.ts';
import { referencePages } from './docs/reference-pages.ts';
import { repository } from './repository.ts';

const schemas = documented.map((what): [string, string] => [`configs/${what}.schema.json`, jsonSchemaText(what)]);

for (const [path, text] of [...(await referencePages()), ...schemas]) {
  await writeFile(join(repository, path), text);
  console.log(path);
}
