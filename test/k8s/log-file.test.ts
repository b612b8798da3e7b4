/** A pod's log in its file: whole, once, and told where something is missing. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cutLongLine, gapMarker, LogFile } from '../../k8s/log-file.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'temper-log-file-'));
});
afterEach(() => rm(directory, { recursive: true }));

const written = async (name = 'log.txt') => await readFile(join(directory, name), 'utf8');
const at = (seconds: string, text: string) => `2026-11-30T02:00:${seconds}Z ${text}`;

async function write(lines: readonly string[], podUid = 'pod', rank = 0): Promise<string | null> {
  const file = await LogFile.open(directory, rank, podUid);
  const { sinceTime } = file;
  await file.write(lines);
  await file.close();
  return sinceTime;
}

test('begins with all there is, and goes on from the second of its last line without repeating one', async () => {
  expect(await write([at('01.5', 'one'), at('02.123456789', 'two')])).toBeNull();
  expect(await write([at('02.1', 'before'), at('02.123456789', 'two'), at('02.2', 'three')])).toBe(
    '2026-11-30T02:00:02Z',
  );
  expect(await written()).toBe('one\ntwo\nthree\n');
});

test('lines of the very same time are told apart by their number', async () => {
  await write([at('01', 'a'), at('01', 'b')]);
  await write([at('01', 'a'), at('01', 'b'), at('01', 'c'), at('01.000000001', 'd')]);
  await write([at('01.000000001', 'd'), at('01.000000001', 'e')]);
  expect(await written()).toBe('a\nb\nc\nd\ne\n');
});

test('lines of two streams, stamped out of order, are all there, once', async () => {
  await write([at('01', 'a')]);
  const mixed = [at('01', 'a'), at('02.5', 'out'), at('02.4', 'err'), at('02.6', 'more')];
  await write(mixed);
  await write(mixed);
  expect(await written()).toBe('a\nout\nerr\nmore\n');
});

test('two who bring the same lines at once write them once', async () => {
  const [one, other] = await Promise.all([LogFile.open(directory, 0, 'pod'), LogFile.open(directory, 0, 'pod')]);
  await one.write([at('01', 'a')]);
  await other.write([at('01', 'a'), at('02', 'b')]);
  await one.write([at('02', 'b'), at('03', 'c')]);
  await Promise.all([one.close(), other.close()]);
  expect(await written()).toBe('a\nb\nc\n');
});

test('a worker that was killed before it kept its place leaves nothing twice', async () => {
  await write([at('01', 'a')]);
  const place = await written('log.txt.position.json');
  await write([at('01', 'a'), at('02', 'b')]);
  await writeFile(join(directory, 'log.txt.position.json'), place);
  await write([at('01', 'a'), at('02', 'b'), at('03', 'c')]);
  expect(await written()).toBe('a\nb\nc\n');
});

test('where the node no longer has the last line, a line says that some may be missing', async () => {
  await write([at('01', 'a')]);
  await write([at('07', 'h'), at('08', 'i')]);
  expect(await written()).toBe(`a\n${gapMarker}\nh\ni\n`);
});

test('each rank has a file of its own, and what has no time is the node’s own word', async () => {
  await write(['unable to retrieve container logs', at('01', ''), at('02', ' x ')], 'pod-3', 3);
  expect(await written('log-3.txt')).toBe('\n x \n');
});

test('what a killed worker wrote behind its place stays, where the node has thrown the lines away meanwhile', async () => {
  await write([at('01', 'a')]);
  const place = await written('log.txt.position.json');
  await write([at('01', 'a'), at('02', 'b'), at('03', 'dddd')]);
  await writeFile(join(directory, 'log.txt.position.json'), place);
  await write([at('09', 'z')]);
  expect(await written()).toBe(`a\nb\ndddd\n\n${gapMarker}\nz\n`);
});

test('a place that cannot be read is none: the log is brought from its beginning', async () => {
  await write([at('01', 'a')]);
  await writeFile(join(directory, 'log.txt.position.json'), 'token-abc:secret');
  expect(await write([at('01', 'a'), at('02', 'b')])).toBeNull();
  expect(await written()).toBe('a\nb\n');
});

test('a line that has no end is broken, each time at the same places', () => {
  const line = at('01', 'x'.repeat(250));
  const { lines, rest } = cutLongLine(line, 100);
  expect([...lines, rest].every((piece) => piece.startsWith('2026-11-30T02:00:01Z ') && piece.length <= 100)).toBe(
    true,
  );
  expect([...lines, rest].map((piece) => piece.slice(21)).join('')).toBe('x'.repeat(250));
  const longer = cutLongLine(`${line}yyy`, 100);
  expect(longer.lines.slice(0, lines.length)).toEqual(lines);
});

test('a link in its place is not followed, and a pipe holds nobody', async () => {
  const elsewhere = join(directory, 'elsewhere');
  await writeFile(elsewhere, 'mine');
  await symlink(elsewhere, join(directory, 'log.txt'));
  await expect(write([at('01', 'a')])).rejects.toMatchObject({ code: 'ELOOP' });
  expect(await readFile(elsewhere, 'utf8')).toBe('mine');
  await promisify(execFile)('mkfifo', [join(directory, 'log-1.txt')]);
  await expect(write([at('01', 'a')], 'pod', 1)).rejects.toThrow();
});
