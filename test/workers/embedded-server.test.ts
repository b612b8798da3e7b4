/** The development server as a child: what a person has to start it again for, it does by itself. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedServer } from '../../workers/embedded-server.ts';
import { readSettings } from '../../workers/settings.ts';
import { freePorts } from '../../scripts/free-ports.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-server-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Ends at once so often, as one does that another program took a port from; then it is the real one. */
async function start(failures: number) {
  const [program, starts] = [join(folder, 'temporal'), join(folder, 'starts')];
  const { temporalCli } = readSettings(process.env);
  const lines = ['#!/bin/sh', `echo >> ${starts}`, `[ $(wc -l < ${starts}) -gt ${String(failures)} ] || exit 2`];
  await writeFile(program, [...lines, `exec ${temporalCli} "$@"`, ''].join('\n'));
  await chmod(program, 0o755);
  const [port, uiPort] = await freePorts();
  return await startEmbeddedServer({
    temporalCli: program,
    databaseFile: join(folder, 'temporal.sqlite'),
    logFile: join(folder, 'temporal.log'),
    port,
    uiPort,
  });
}

test('a server that ends while it starts is started anew', async () => {
  const server = await start(1);
  await server.stop();
});

test('one that always ends is given up after its third start, with the place of its log', async () => {
  await expect(start(99)).rejects.toThrow(/does not run: it ended with 2; its log is .*temporal\.log/);
  expect(await readFile(join(folder, 'starts'), 'utf8')).toBe('\n\n\n');
});
