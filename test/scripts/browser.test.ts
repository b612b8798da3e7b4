import { findBrowser, type Machine } from '../../scripts/browser.ts';

interface Given {
  readonly title: string;
  readonly environment?: Record<string, string>;
  readonly programs: readonly string[];
  /** What apt-get puts on the disk; null when it fails. */
  readonly installs?: string | null;
  readonly isRoot?: boolean;
  readonly want: string | RegExp;
  readonly runs?: number;
}

const PATH = '/usr/local/bin:/usr/bin';

test.each<Given>([
  { title: 'one on PATH', programs: ['/usr/bin/chromium'], want: '/usr/bin/chromium' },
  { title: 'another name on PATH', programs: ['/usr/bin/google-chrome'], want: '/usr/bin/google-chrome' },
  {
    title: 'the one that is named, whatever is on PATH',
    environment: { TEMPER_CHROMIUM: '/opt/chromium' },
    programs: ['/usr/bin/chromium', '/opt/chromium'],
    want: '/opt/chromium',
  },
  {
    title: 'a named one that cannot be run is refused, and nothing is installed',
    environment: { TEMPER_CHROMIUM: '/opt/none' },
    programs: ['/usr/bin/apt-get', '/usr/bin/chromium'],
    isRoot: true,
    want: /^TEMPER_CHROMIUM names \/opt\/none, which cannot be run$/,
  },
  {
    title: "root's apt-get installs Debian's",
    programs: ['/usr/bin/apt-get'],
    installs: '/usr/bin/chromium',
    isRoot: true,
    want: '/usr/bin/chromium',
    runs: 2,
  },
  {
    title: 'an apt-get that fails is told',
    programs: ['/usr/bin/apt-get'],
    installs: null,
    isRoot: true,
    want: /apt-get could not install one: install Chromium .*TEMPER_CHROMIUM=<path>/,
    runs: 1,
  },
  { title: 'nothing is installed by anybody else', programs: ['/usr/bin/apt-get'], want: /^no browser here: install/ },
  { title: 'a machine without apt-get is told the fix', programs: [], isRoot: true, want: /^no browser here: install/ },
])('$title', ({ environment = {}, programs, installs, isRoot = false, want, runs = 0 }) => {
  const onDisk = new Set(programs);
  const run: string[] = [];
  const machine: Machine = {
    isRoot,
    isExecutable: (path) => onDisk.has(path),
    run(program, args) {
      run.push([program, ...args].join(' '));
      if (installs === null || installs === undefined) return false;
      if (args.includes('install')) onDisk.add(installs);
      return true;
    },
  };
  const found = findBrowser({ PATH, ...environment }, machine);
  if (typeof want === 'string') expect(found).toEqual({ kind: 'found', path: want });
  else expect(found).toEqual({ kind: 'none', because: expect.stringMatching(want) as string });
  expect(run).toHaveLength(runs);
});
