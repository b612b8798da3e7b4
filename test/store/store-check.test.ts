import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkStore } from '../../store/store-check.ts';
import { scratch } from './checkpoint-fixtures.ts';
import { testWhere } from '../support/test-where.ts';

let folder: Awaited<ReturnType<typeof scratch>>;
beforeEach(async () => {
  folder = await scratch();
});
afterEach(() => folder.remove());

test('a usable store is made where it is not there, and nothing is left in it', async () => {
  const store = join(folder.path, 'deep', 'store');
  expect((await checkStore(store, { minimumFreeBytes: 1 })).freeBytes).toBeGreaterThan(0);
  expect(await readdir(store)).toEqual([]);
});

test('a nearly full disk is refused with the numbers and the fix', async () => {
  const check = checkStore(folder.path, { freeBytes: () => Promise.resolve(300 * 1024 ** 2) });
  await expect(check).rejects.toMatchObject({
    code: 'store-unusable',
    message: expect.stringMatching(
      /nearly full: 300 MiB free, 1\.0 GiB needed; free some or name another folder/,
    ) as string,
  });
  expect(await readdir(folder.path)).toEqual([]);
});

test('a full disk is refused as one', async () => {
  await expect(checkStore(folder.path, { freeBytes: () => Promise.resolve(0) })).rejects.toThrow(/0 MiB free/);
});

test.each([
  { title: 'a file', store: () => join(folder.path, 'file'), want: /is not a folder/ },
  { title: 'a place below a file', store: () => join(folder.path, 'file', 'store'), want: /is not a folder/ },
  { title: 'a place in /proc', store: () => '/proc/temper-store', want: /cannot be used|not writable/ },
])('$title is refused in one line', async ({ store, want }) => {
  await writeFile(join(folder.path, 'file'), '');
  await expect(checkStore(store())).rejects.toMatchObject({
    code: 'store-unusable',
    message: expect.stringMatching(want) as string,
  });
  await expect(checkStore(store())).rejects.toMatchObject({ message: expect.not.stringContaining('\n') as string });
});

test('one that this user may not write names the user', async () => {
  const freeBytes = () => Promise.reject(Object.assign(new Error('denied'), { code: 'EACCES' }));
  await expect(checkStore(folder.path, { freeBytes })).rejects.toMatchObject({
    code: 'store-unusable',
    message: `the store ${folder.path} is not writable (EACCES): make it writable for this user (uid ${String(process.geteuid?.())}) or name another folder (profile: store.path)`,
  });
});

const asOther = testWhere(process.getuid?.() === 0 ? 'root may write everywhere' : null);
asOther('a folder of somebody else is refused', async () => {
  await expect(checkStore('/etc/temper-store')).rejects.toThrow(/is not writable \(EACCES\)/);
});
