/** What set-up decides, without doing it: versions, pins, what counts as installed, disk, Python. Whole set-ups run in .ci/run. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refuseFullDisk, inGigabytes } from '../../scripts/setup/disk.mjs';
import { pinOf } from '../../scripts/setup/installer.mjs';
import { samePackages } from '../../scripts/setup/node-packages.mjs';
import { findPlaces } from '../../scripts/setup/places.mjs';
import { withoutTorch } from '../../scripts/setup/python-packages.mjs';
import { findPython } from '../../scripts/setup/python.mjs';
import { readJson, writeJson } from '../../scripts/setup/record.mjs';
import { isAtLeast, readVersion } from '../../scripts/setup/versions.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'temper-setup-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('versions', () => {
  test.each([
    { text: 'v22.23.3', least: [22, 19, 0], want: true },
    { text: 'v22.18.9', least: [22, 19, 0], want: false },
    { text: 'v26.0.0', least: [22, 19, 0], want: true },
    { text: 'v20.20.2', least: [22, 19, 0], want: false },
    { text: 'temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)', least: [1, 5, 0], want: true },
    { text: '3.9.1', least: [3, 11], want: false },
    { text: '3.11', least: [3, 11], want: true },
  ])('$text against $least: $want', ({ text, least, want }) => {
    expect(isAtLeast(readVersion(text) ?? [], least)).toBe(want);
  });

  test('a program that answers something else has no version', () => {
    expect(readVersion('usage: temporal')).toBeUndefined();
  });
});

describe('Node packages', () => {
  const wanted = {
    packages: {
      '': {},
      'node_modules/zod': { version: '4.6.7', integrity: 'sha512-a' },
      'node_modules/darwin-only': { version: '1.0.0', integrity: 'sha512-b', optional: true },
    },
  };

  test.each([
    { what: 'nothing installed', installed: undefined, want: false },
    {
      what: 'all of this platform',
      installed: { packages: { 'node_modules/zod': wanted.packages['node_modules/zod'] } },
      want: true,
    },
    { what: 'one missing', installed: { packages: {} }, want: false },
    {
      what: 'another version',
      installed: { packages: { 'node_modules/zod': { version: '4.6.6', integrity: 'sha512-a' } } },
      want: false,
    },
    {
      what: 'other contents',
      installed: { packages: { 'node_modules/zod': { version: '4.6.7', integrity: 'sha512-c' } } },
      want: false,
    },
  ])('$what: in place is $want', ({ installed, want }) => {
    expect(samePackages(wanted, installed)).toBe(want);
  });
});

describe('pins', () => {
  const lock =
    'torch==2.15.0 \\\n    --hash=sha256:a\nnvidia-nccl-cu13==2.1 ; sys_platform == "linux" \\\n    --hash=sha256:b\ntrl==1.16.0 \\\n    --hash=sha256:c\n';

  test('one requirement keeps its own digests only', () => {
    expect(pinOf(lock, 'trl')).toBe('trl==1.16.0 \\\n    --hash=sha256:c\n');
  });

  test('a requirement that is not pinned is refused', () => {
    expect(() => pinOf(lock, 'uv')).toThrow('does not pin uv');
  });

  test('the CPU build leaves out torch and what only CUDA needs', () => {
    expect(withoutTorch(lock)).toBe('trl==1.16.0 \\\n    --hash=sha256:c\n');
  });
});

describe('disk', () => {
  const disk = (free: Record<string, number>) => ({
    deviceOf: (path: string) => (path.startsWith(folder) ? 1 : 2),
    freeBytes: (path: string) => free[path.startsWith(folder) ? 'cache' : 'other'] ?? 0,
  });

  test('enough room on each disk passes', () => {
    const needs = [
      { folder, bytes: 7e9 },
      { folder: '/', bytes: 1e9 },
    ];
    expect(() => {
      refuseFullDisk(needs, disk({ cache: 7e9, other: 1e9 }));
    }).not.toThrow();
  });

  test('what goes to one disk is added up, and the refusal names the disk and the way out', () => {
    const needs = [
      { folder: join(folder, 'venv'), bytes: 7e9 },
      { folder, bytes: 1e9 },
    ];
    expect(() => {
      refuseFullDisk(needs, disk({ cache: 7.5e9 }));
    }).toThrow(`the disk of ${folder} has 7.5 GB free, and about 8.0 GB is needed.`);
  });

  test.each([
    [5.84e9, '5.8 GB'],
    [45e6, '45 MB'],
  ])('%d bytes read as %s', (bytes, want) => {
    expect(inGigabytes(bytes)).toBe(want);
  });
});

describe('Python', () => {
  /** Fake interpreters: a file for each, which `ask` answers for. */
  function machine(versions: Record<string, string>) {
    for (const name of Object.keys(versions)) writeFileSync(join(folder, name), '');
    const ask = (path: string) => {
      const version = versions[path.slice(folder.length + 1)];
      return version === undefined || version === 'broken' ? undefined : { path, version };
    };
    return { environment: { PATH: folder } as Record<string, string>, ask };
  }

  test.each([
    { what: 'the first that is new enough', versions: { python3: '3.12.1', 'python3.11': '3.11.7' }, want: 'python3' },
    {
      what: 'an old python3 is passed over',
      versions: { python3: '3.9.1', 'python3.11': '3.11.7' },
      want: 'python3.11',
    },
    {
      what: 'a shim that does not run is passed over',
      versions: { python3: 'broken', 'python3.13': '3.13.0' },
      want: 'python3.13',
    },
  ])('$what', ({ versions, want }) => {
    const { environment, ask } = machine(versions);
    expect(findPython(environment, ask).path).toBe(join(folder, want));
  });

  test('only old ones: the refusal names each with its version', () => {
    const { environment, ask } = machine({ python3: '3.9.1', python: '2.7.18' });
    expect(() => findPython(environment, ask)).toThrow(
      `Python 3.11 or newer is needed; ${join(folder, 'python3')} is 3.9.1, ${join(folder, 'python')} is 2.7.18.`,
    );
  });

  test('none at all', () => {
    const { environment, ask } = machine({});
    expect(() => findPython(environment, ask)).toThrow('none was found on PATH');
  });

  test('TEMPER_PYTHON is meant: an old one is refused, not passed over', () => {
    const { environment, ask } = machine({ python3: '3.12.1', old: '3.9.1' });
    const named = { ...environment, TEMPER_PYTHON: join(folder, 'old') };
    expect(() => findPython(named, ask)).toThrow('is Python 3.9.1, and 3.11 or newer is needed');
  });
});

describe('places and records', () => {
  test('TEMPER_CACHE moves everything but node_modules', () => {
    const { cache, venv, record, tools, repository, nodeModules } = findPlaces({ TEMPER_CACHE: folder });
    expect([cache, record, tools]).toEqual([folder, join(folder, 'setup.json'), join(folder, 'tools')]);
    expect(venv.startsWith(folder)).toBe(true);
    expect(nodeModules).toBe(join(repository, 'node_modules'));
  });

  test('a record is read back; a torn or missing one counts as none', () => {
    const path = join(folder, 'setup.json');
    expect(readJson(path)).toBeUndefined();
    writeJson(path, { node: 'here' });
    expect(readJson(path)).toEqual({ node: 'here' });
    writeFileSync(path, '{"node": "he');
    expect(readJson(path)).toBeUndefined();
  });
});
