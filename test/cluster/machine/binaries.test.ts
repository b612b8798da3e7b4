/** Builds of the cluster's binaries with programs that only pretend: once, whole or not at all, and told when they fail. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBinaries } from './binaries.ts';
import { buildContext } from './kept-build.ts';
import type { BuildContext } from './kept-build.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'temper-build-'));
  mkdirSync(join(folder, 'bin'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const programs = {
  // Writes down what it was asked to build; fails for what the file `broken` names.
  go: `#!/bin/sh
[ "$1" = env ] && { echo go1.26.0; exit; }
module=$(basename "$3")
echo "$module" >>"$FOLDER/built"
[ "$(cat "$FOLDER/broken" 2>/dev/null)" != "$module" ] || { echo "$module: no space left"; exit 1; }
while [ "$1" != -o ]; do shift; done
echo "$module" >"$2"
`,
  'apt-get': '#!/bin/sh\nshift; for name in "$@"; do : >"$name.deb"; done\n',
  'dpkg-deb':
    '#!/bin/sh\nmkdir -p "$3/bin"; printf "#!/bin/sh\\necho sh\\n" >"$3/bin/busybox"; chmod +x "$3/bin/busybox"\n',
};

function context(): BuildContext {
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, 'bin', name), text);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
  const PATH = `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`;
  const environment = { ...process.env, PATH, FOLDER: folder, TEMPER_CLUSTER_CACHE: join(folder, 'cache') };
  return buildContext(environment, () => undefined);
}

const built = () => readFileSync(join(folder, 'built'), 'utf8').trim().split('\n');
/** Folders that count as whole. */
const whole = () => readdirSync(join(folder, 'cache')).filter((name) => /^[0-9a-f]{16}$/.test(name));

test('what is there is found again, and two at a time build once', async () => {
  const [one, other] = await Promise.all([ensureBinaries(context()), ensureBinaries(context())]);
  await ensureBinaries(context());
  expect(one).toEqual(other);
  expect(built()).toEqual(['kube', 'etcd', 'coredns']);
  expect(readFileSync(one.kubectl, 'utf8')).toBe('kube\n');
  expect(readdirSync(one.images).sort()).toEqual(['busybox.tar', 'pause.tar']);
});

test('a build that fails is told with its last lines and no missing toolchain; the next one begins anew', async () => {
  writeFileSync(join(folder, 'broken'), 'etcd');
  await expect(ensureBinaries(context())).rejects.toMatchObject({ exitCode: 70, details: 'etcd: no space left' });
  expect(whole()).toEqual([]);
  rmSync(join(folder, 'broken'));
  const { folder: made } = await ensureBinaries(context());
  expect(existsSync(join(made, 'bin', 'etcd'))).toBe(true);
  expect(built()).toEqual(['kube', 'etcd', 'kube', 'etcd', 'coredns']);
});

test('what a killed build has left is not taken as whole', async () => {
  const { folder: made } = await ensureBinaries(context());
  rmSync(made, { recursive: true });
  mkdirSync(join(`${made}.half`, 'bin'), { recursive: true });
  writeFileSync(join(`${made}.half`, 'bin', 'torn'), '');
  await ensureBinaries(context());
  expect(readdirSync(join(made, 'bin'))).not.toContain('torn');
  expect(existsSync(`${made}.half`)).toBe(false);
});
