/** A stale bundle is never loaded, and a current one is never made twice. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { repository } from '../../scripts/repository.ts';
import { bundledFolders, type Bundler, interceptorsOf, workflowBundle } from '../../workers/workflow-bundle.ts';

let home: string;
const cache = () => join(home, '.temper');
const write = (file: string, text: string) => writeFile(join(home, file), text);
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'temper-bundle-'));
  for (const folder of [...bundledFolders, 'node_modules']) await mkdir(join(home, folder));
  await write('workflows/index.ts', 'first');
  await write('decisions/retry.ts', 'a rule');
  await write('node_modules/.package-lock.json', '{"zod": 1}');
});
afterEach(() => rm(home, { recursive: true }));

let made = 0;
/** Stands for webpack: the code names the story it was made of. */
const bundler: Bundler = async (workflowsPath) => {
  made += 1;
  return `code of ${await readFile(workflowsPath, 'utf8')}, made as number ${String(made)}`;
};
beforeEach(() => {
  made = 0;
});

/** What a worker would load. */
async function loaded(by: Bundler = bundler): Promise<string> {
  const bundle = await workflowBundle({ home, cacheDirectory: cache() }, by);
  return 'code' in bundle ? bundle.code : await readFile(bundle.codePath, 'utf8');
}

test('what was built ahead is loaded, and nothing is built', async () => {
  const ahead = await loaded();
  expect(ahead).toBe('code of first, made as number 1');
  expect(await loaded(() => Promise.reject(new Error('nothing may be built')))).toBe(ahead);
});

test.each([
  { title: 'a workflow was changed', change: () => write('workflows/index.ts', 'second') },
  { title: 'a rule was changed', change: () => write('decisions/retry.ts', 'another rule') },
  { title: 'a file was added', change: () => write('configs/schema.ts', '') },
  { title: 'a file was removed', change: () => rm(join(home, 'decisions', 'retry.ts')) },
  { title: 'a package was updated', change: () => write('node_modules/.package-lock.json', '{"zod": 2}') },
])('it is built anew when $title, and what was built before counts again afterwards', async ({ change }) => {
  const before = await loaded();
  await change();
  expect(await loaded()).toMatch(/ made as number 2$/);
  await rm(join(home, 'configs', 'schema.ts'), { force: true });
  await write('workflows/index.ts', 'first');
  await write('decisions/retry.ts', 'a rule');
  await write('node_modules/.package-lock.json', '{"zod": 1}');
  expect([await loaded(), made]).toEqual([before, 2]);
});

test('text that moves from one file to the next is a change', async () => {
  await write('decisions/a.ts', 'one');
  await write('decisions/b.ts', 'two');
  await loaded();
  await write('decisions/a.ts', 'onetwo');
  await write('decisions/b.ts', '');
  expect(await loaded()).toMatch(/ made as number 2$/);
});

test('a bundle whose sources changed while it was made is used once and not kept', async () => {
  const edited: Bundler = async (path) => {
    const code = await bundler(path);
    await write('workflows/index.ts', 'edited meanwhile');
    return code;
  };
  expect(await loaded(edited)).toBe('code of first, made as number 1');
  expect(await loaded()).toBe('code of edited meanwhile, made as number 2');
});

test('where nothing can be kept, each start bundles', async () => {
  const cacheDirectory = '/sys/nobody-may-write-here';
  for (const number of ['1', '2'])
    expect(await workflowBundle({ home, cacheDirectory }, bundler)).toEqual({
      code: `code of first, made as number ${number}`,
    });
});

test('a few older ones are kept, for checkouts that share the cache', async () => {
  for (let version = 1; version <= 7; version += 1) {
    await write('workflows/index.ts', `version ${String(version)}`);
    await loaded();
  }
  expect(await readdir(join(cache(), 'workflow-bundles'))).toHaveLength(4);
});

test('everything that a bundle is made of is in its key: the folders that are looked at, and installed packages', async () => {
  const workflowsPath = join(repository, 'workflows', 'index.ts');
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: interceptorsOf(workflowsPath),
    logger: new DefaultLogger('ERROR', () => undefined),
  });
  const encoded = /sourceMappingURL=data:application\/json;[^,]*base64,(\S+)/.exec(code)?.[1] ?? '';
  const { sources } = JSON.parse(Buffer.from(encoded, 'base64').toString()) as { readonly sources: string[] };
  const known = [...bundledFolders, 'node_modules'].map((folder) => join(repository, folder, '/'));
  const others = sources.filter((source) => !known.some((folder) => source.startsWith(folder)));
  expect(others.filter((source) => !/^(webpack\/|ignored\|)/.test(source))).toEqual([]);
  expect(sources.filter((source) => source.includes('workflows/phase.ts'))).toHaveLength(1);
});
