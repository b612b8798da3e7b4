/** The small tree that every image of the tests stands on: busybox and its names, a user 1000, folders that are expected. */
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../machine/programs.ts';

const folders = ['bin', 'etc', 'root', 'proc', 'sys', 'dev', 'tmp', 'var/tmp'];
const files = {
  'etc/passwd': 'root:x:0:0::/root:/bin/sh\ntemper:x:1000:1000::/tmp:/bin/sh\n',
  'etc/group': 'root:x:0:\ntemper:x:1000:\n',
  'etc/nsswitch.conf': 'hosts: files dns\n',
};

/** Writes the tree into `root`. */
export async function makeRootFilesystem(root: string, busybox: string): Promise<void> {
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
  for (const folder of ['tmp', 'var/tmp']) chmodSync(join(root, folder), 0o1777);
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  copyFileSync(busybox, join(root, 'bin', 'busybox'));
  const names = (await run(busybox, ['--list'])).split('\n').filter((name) => name !== '' && name !== 'busybox');
  for (const name of names) symlinkSync('busybox', join(root, 'bin', name));
}
