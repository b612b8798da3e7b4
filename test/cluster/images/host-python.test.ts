import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prefixOf, readHostPython } from './host-python.ts';
import { readLdd } from './library-closure.ts';

test('the prefix is mounted at its own path, the environment where the image has it', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'temper-python-')));
  const prefix = join(root, 'prefix');
  const environment = join(root, 'venv');
  for (const folder of [prefix, environment]) mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(prefix, 'bin', 'python3.11'), '');
  symlinkSync(join(prefix, 'bin', 'python3.11'), join(environment, 'bin', 'python'));
  writeFileSync(join(environment, 'pyvenv.cfg'), `implementation = CPython\nhome = ${prefix}/bin\n`);
  expect(readHostPython(join(environment, 'bin', 'python'))).toEqual({
    program: join(prefix, 'bin', 'python3.11'),
    environment,
    prefixes: [prefix],
    mounts: [
      { source: prefix, destination: prefix },
      { source: environment, destination: '/opt/venv' },
    ],
  });
  rmSync(root, { recursive: true });
});

test('a pyvenv.cfg without a home is refused', () => {
  expect(() => prefixOf('implementation = CPython\n')).toThrow('names no home');
});

test('what ldd prints: libraries with an arrow, the loader without, none for what is missing', () => {
  const shown = [
    '/venv/lib/torch.so:',
    '\tlinux-vdso.so.1 (0x00007ffd)',
    '\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f)',
    '\tlibcuda.so.1 => not found',
    '\t/lib64/ld-linux-x86-64.so.2 (0x00007f)',
    '\tnot a dynamic executable',
  ].join('\n');
  expect(readLdd(shown)).toEqual(['/lib/x86_64-linux-gnu/libm.so.6', '/lib64/ld-linux-x86-64.so.2']);
});
