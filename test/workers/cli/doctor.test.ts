/** `temper doctor` on this machine: what is there, what is not, and how it ends. On a cluster: test/cluster/doctor.test.ts. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HealthCheck } from '../../../decisions/health-check.ts';
import { temper } from '../../support/command-line.ts';
import { freePort } from '../../../scripts/free-ports.ts';

const folder = await mkdtemp(join(tmpdir(), 'temper-doctor-'));
afterAll(() => rm(folder, { recursive: true }));
/** Nobody listens there. */
const port = await freePort();
const server = { TEMPORAL_ADDRESS: `127.0.0.1:${String(port)}` };
const store = { ...server, TEMPER_STORE: join(folder, 'store') };

test('a machine that is set up has everything', async () => {
  const { exitCode, output, errors } = await temper(['doctor', 'tiny'], { environment: store });
  expect([exitCode, errors]).toEqual([0, '']);
  expect(output).toMatch(
    /^Recipe tiny on profile local: processes of this machine\n\nnot checked {2}temporal {5}no Temporal server/,
  );
  expect(output).toMatch(/\nok {11}trainers/);
  expect(output).toContain(`${store.TEMPER_STORE} is writable`);
  expect(output).toMatch(/\nNothing is known to be missing: 1 not checked\.\n$/);
  expect(output.split('\n').filter((line) => line.length > 100 && line.includes(' '.repeat(30)))).toEqual([]);
});

test('a Python without the trainers’ packages, no Temporal, and a store that is a file: all of it is told', async () => {
  const python = join(folder, 'python');
  await writeFile(python, '#!/bin/sh\necho torch trl\n');
  await chmod(python, 0o755);
  await writeFile(join(folder, 'file'), '');
  const environment = {
    ...server,
    TEMPER_PYTHON: python,
    TEMPORAL_CLI: join(folder, 'none'),
    TEMPER_STORE: join(folder, 'file'),
  };
  const { exitCode, output } = await temper(['doctor', '--json'], { environment });
  const { checks, healthy } = JSON.parse(output) as { checks: HealthCheck[]; healthy: boolean };
  expect([exitCode, healthy]).toEqual([69, false]);
  expect(checks.filter(({ verdict }) => verdict === 'missing')).toMatchObject([
    { name: 'trainers', what: `${python} lacks torch, trl`, mend: { command: 'npm run setup' } },
    {
      name: 'temporal cli',
      what: `${join(folder, 'none')} cannot be run`,
      mend: { change: expect.stringContaining('TEMPORAL_CLI') as string },
    },
    { name: 'store', what: expect.stringContaining('is not a folder') as string },
  ]);
});

test('a command of more processes than this machine has slots', async () => {
  const profiles = join(folder, 'profiles');
  await mkdir(profiles);
  await writeFile(join(profiles, 'small.yaml'), 'name: small\nbackend: local\nslots: 1\n');
  const environment = { ...store, TEMPER_PROFILES: profiles };
  const { exitCode, output } = await temper(['doctor', 'torchrun', '--profile', 'small'], { environment });
  expect(exitCode).toBe(69);
  expect(output).toMatch(/\nmissing {6}slots {8}phase \w+ runs more processes than this machine has slots \(1 /);
});

test('who wants something added to a server that is not there is told so', async () => {
  const { exitCode, errors } = await temper(['doctor', '--fix'], { environment: store });
  expect([exitCode, errors]).toEqual([69, expect.stringMatching(/^temper: no Temporal server answers at /)]);
});

test.each([
  { words: ['--profile', 'clutser'], want: 'did you mean "cluster"?' },
  { words: ['tyni'], want: 'did you mean "tiny"?' },
  { words: ['tiny', '-f', 'x.yaml'], want: 'not both' },
  { words: ['--set', 'seed=2'], want: '--set changes a recipe: name one' },
  { words: ['--timeout', 'soon'], want: 'must be a whole number' },
])('$words is bad input', async ({ words, want }) => {
  const { exitCode, output, errors } = await temper(['doctor', ...words]);
  expect([exitCode, output]).toEqual([2, '']);
  expect(errors).toContain(want);
});
