/** What the demo program says when it cannot run here: one line with the fix, a code that is not zero, and nothing left behind. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { demoPlace, type DemoPlace } from '../support/demo-program.ts';
import { processesOf } from '../../scripts/processes-of-store.ts';
import { recipeText, shortRecipe } from '../support/short-recipe.ts';

let place: DemoPlace;

beforeEach(async () => {
  place = await demoPlace(recipeText(await shortRecipe(['base'])));
});
afterEach(() => place.close());

/** Runs it to its end, which must be soon, and answers with its only line. */
async function refusalOf(environment: Readonly<Record<string, string | undefined>>): Promise<string> {
  const { code, out, error } = await place.start(environment).ended;
  expect(code).toBeGreaterThan(0);
  expect(out).toBe('');
  expect(error.trimEnd().split('\n')).toHaveLength(1);
  expect(await processesOf(place.store)).toEqual([]);
  return error.trimEnd();
}

const missing = join('does', 'not', 'exist');

describe('the demo program refuses in one line', () => {
  it('a port that is in use, and names the variable', async () => {
    const other = createServer().listen(place.port, '127.0.0.1');
    await once(other, 'listening');
    try {
      expect(await refusalOf({})).toMatch(new RegExp(`port ${String(place.port)} is in use: .*TEMPER_PORT=<port>`));
    } finally {
      other.close();
    }
  });

  it('a store that is a file', async () => {
    await writeFile(place.store, '');
    expect(await refusalOf({})).toMatch(/the store .* is not a folder: name another/);
  });

  it('a store in a place that takes no folder', async () => {
    await writeFile(join(dirname(place.store), 'file'), '');
    expect(await refusalOf({ TEMPER_STORE: join(dirname(place.store), 'file', 'store') })).toMatch(
      /the store .* folder/,
    );
  });

  it('a Temporal CLI that does not exist', async () => {
    expect(await refusalOf({ TEMPORAL_CLI: join(dirname(place.store), missing) })).toMatch(
      /does\/not\/exist.*TEMPORAL_CLI|TEMPORAL_CLI.*does\/not\/exist/,
    );
  });

  it('a Python that does not exist', async () => {
    expect(await refusalOf({ TEMPER_PYTHON: join(dirname(place.store), missing) })).toMatch(
      /does\/not\/exist.*TEMPER_PYTHON|TEMPER_PYTHON.*does\/not\/exist/,
    );
  });

  it('a machine where nothing is set up', async () => {
    const cache = join(dirname(place.store), 'cache');
    await mkdir(cache);
    expect(await refusalOf({ TEMPER_PYTHON: undefined, TEMPER_CACHE: cache })).toMatch(/run `npm run setup`/);
  });

  it('a port that is no port', async () => {
    expect(await refusalOf({ TEMPER_PORT: 'seven' })).toContain('TEMPER_PORT is "seven"');
  });

  it('a recipe with an unknown field, after which the pipeline has failed and no job was started', async () => {
    await place.close();
    place = await demoPlace(recipeText(await shortRecipe(['base'], { 'phases.base.params.stepz': 3 })));
    const { code, out } = await place.start().ended;
    expect(code).toBe(1);
    expect(out).toContain('phases.base.params.stepz: is no field here; did you mean "steps"?');
    await expect(access(join(place.store, 'pipelines'))).rejects.toThrow('ENOENT');
    expect(await processesOf(place.store)).toEqual([]);
  });
});
