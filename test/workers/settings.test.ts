import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { repository } from '../../scripts/repository.ts';
import { readSettings } from '../../workers/settings.ts';

const programs = { TEMPORAL_CLI: '/tools/temporal', TEMPER_PYTHON: '/tools/python' };

let cache: string;
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'temper-settings-'));
});
afterEach(() => rm(cache, { recursive: true }));

test('an empty environment gives the places of the checkout and the usual ports', () => {
  const settings = readSettings(programs);
  expect(settings).toMatchObject({
    storeDirectory: join(repository, '.temper', 'store'),
    recipesDirectory: join(repository, 'configs', 'recipes'),
    profilesDirectory: join(repository, 'configs', 'profiles'),
    schedulesDirectory: join(repository, 'configs', 'schedules'),
    port: 7233,
    uiPort: 8233,
    taskQueue: 'temper',
    temporalCli: '/tools/temporal',
    python: '/tools/python',
  });
  expect(Object.isFrozen(settings)).toBe(true);
});

test('each place and port can be moved; a relative path counts from here', () => {
  const moved = {
    TEMPER_STORE: 'elsewhere',
    TEMPER_RECIPES: '/my/recipes',
    TEMPER_PORT: '7300',
    TEMPER_UI_PORT: '8300',
  };
  expect(readSettings({ ...programs, ...moved, TEMPER_TASK_QUEUE: 'mine' })).toMatchObject({
    storeDirectory: resolve('elsewhere'),
    recipesDirectory: '/my/recipes',
    port: 7300,
    uiPort: 8300,
    taskQueue: 'mine',
  });
});

test.each(['0', '65536', '-1', '80.5', 'http', '7233a'])('a port of "%s" is refused with the variable', (port) => {
  expect(() => readSettings({ ...programs, TEMPER_UI_PORT: port })).toThrow(
    expect.objectContaining({
      code: 'environment-unusable',
      message: `TEMPER_UI_PORT is "${port}", and must be a port from 1 to 65535`,
    }) as Error,
  );
});

describe('programs come from what set-up has written', () => {
  const written = (text: string) => writeFile(join(cache, 'setup.json'), text);

  test('unless the environment names them', async () => {
    await written(JSON.stringify({ temporalCli: '/cache/temporal', python: '/cache/python', node: '/cache/node' }));
    const read = (more: Record<string, string>) => {
      const { temporalCli, python } = readSettings({ TEMPER_CACHE: cache, ...more });
      return [temporalCli, python];
    };
    expect(read({})).toEqual(['/cache/temporal', '/cache/python']);
    expect(read({ TEMPER_PYTHON: '/mine' })).toEqual(['/cache/temporal', '/mine']);
  });

  test('and where it has not, the fix is named', () => {
    expect(() => readSettings({ TEMPER_CACHE: cache })).toThrow(
      `nothing is set up here (${join(cache, 'setup.json')} is missing): run \`npm run setup\``,
    );
  });

  test.each([
    { title: 'of another version', text: '{"cli": "/cache/temporal"}' },
    { title: 'cut short', text: '{"temporalCli": "/cac' },
    { title: 'empty', text: '' },
  ])('a file that is $title is refused with the fix', async ({ text }) => {
    await written(text);
    expect(() => readSettings({ TEMPER_CACHE: cache })).toThrow(
      `${join(cache, 'setup.json')} is of another version: run \`npm run setup\``,
    );
  });
});
