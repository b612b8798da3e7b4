import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readWitness } from '../../store/witness.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-witness-'));
});
afterAll(() => rm(folder, { recursive: true }));

const who = { pid: 7, pipeline: 'p', phase: 'sft', kind: 'sft', attempt: 1, job: 'j', token: 't' };
const start = { event: 'start', time: '2026-11-29T10:00:00.000Z', step: 0, status: null, ...who };
const stop = { ...start, event: 'stop', step: 5, status: 'completed' };
const lines = (...events: object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');

test.each([
  { title: 'a witness that nobody told anything', text: '', want: [] },
  { title: 'what was told, in its order', text: lines(start, stop), want: [start, stop] },
  { title: 'a last line without its end was not told', text: lines(start) + '{"event": "st', want: [start] },
])('$title', async ({ text, want }) => {
  await writeFile(join(folder, 'witness'), text);
  expect(await readWitness(join(folder, 'witness'))).toEqual(want);
});

test('no witness is an empty one', async () => {
  expect(await readWitness(join(folder, 'none'))).toEqual([]);
});

test('a line that no trainer writes is an error, not a line less', async () => {
  await writeFile(join(folder, 'witness'), lines(start, { event: 'rest' }));
  await expect(readWitness(join(folder, 'witness'))).rejects.toThrow('event');
});
