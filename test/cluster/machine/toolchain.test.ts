import { missingOn } from './toolchain.ts';
import type { Machine } from './toolchain.ts';

const whole: Machine = {
  platform: 'linux',
  architecture: 'x64',
  isRoot: true,
  has: () => true,
  goVersion: () => 'go version go1.26.8 linux/amd64',
};

test.each<{ what: string; machine: Partial<Machine>; want: readonly RegExp[] }>([
  { what: 'all of it', machine: {}, want: [] },
  { what: 'a newer Go', machine: { goVersion: () => 'go version go2.0 linux/arm64' }, want: [] },
  { what: 'arm64', machine: { architecture: 'arm64' }, want: [] },
  { what: 'another system', machine: { platform: 'darwin', has: () => false }, want: [/^Linux \(this is darwin\)$/] },
  { what: 'another processor', machine: { architecture: 's390x' }, want: [/x64 or arm64 .*s390x/] },
  { what: 'no rights', machine: { isRoot: false }, want: [/^root/] },
  { what: 'no Go', machine: { goVersion: () => undefined }, want: [/^Go 1\.26 or newer .*none was found/] },
  {
    what: 'an old Go',
    machine: { goVersion: () => 'go version go1.25.9 linux/amd64' },
    want: [/^Go 1\.26 or newer .*go1\.25\.9/],
  },
  {
    what: 'no apt-get and no ip',
    machine: { has: (program) => !['apt-get', 'ip'].includes(program) },
    want: [/^apt-get \(Debian: apt-get install apt\)$/, /^ip .*iproute2/],
  },
])('$what', ({ machine, want }) => {
  const missing = missingOn({ ...whole, ...machine });
  expect(missing).toEqual(want.map((pattern) => expect.stringMatching(pattern) as string));
});
