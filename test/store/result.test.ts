import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readResult } from '../../store/result.ts';
import { scratch } from './checkpoint-fixtures.ts';

let folder: Awaited<ReturnType<typeof scratch>>;
let path: string;
beforeAll(async () => {
  folder = await scratch();
  path = join(folder.path, 'result.json');
});
afterAll(() => folder.remove());

const result = {
  status: 'completed',
  reason: null,
  message: null,
  damaged: null,
  job: 't-demo-sft-a2',
  attempt: 2,
  jobToken: 'token',
  startStep: 20,
  finalStep: 50,
  startedFrom: { path: '/store/checkpoint-20', digest: 'd' },
  weightsBefore: 'b',
  weightsAfter: 'a',
  artifacts: [{ path: 'checkpoints/checkpoint-50', format: 'peft', step: 50, digest: 'd' }],
  metrics: { loss: null },
  finite: true,
  seconds: { training: 6.2 },
};

test('reads what the contract says, and leaves out what it does not know', async () => {
  await writeFile(path, JSON.stringify({ contract: 1, ...result, later: 'addition' }));
  expect(await readResult(path)).toEqual(result);
});

test.each([
  { title: 'an absent file', text: null },
  { title: 'a file cut short', text: JSON.stringify({ contract: 1, ...result }).slice(0, 50) },
  { title: 'an empty file', text: '' },
  { title: 'another contract', text: JSON.stringify({ contract: 2, ...result }) },
  { title: 'an unknown status', text: JSON.stringify({ contract: 1, ...result, status: 'fine' }) },
  { title: 'no job token', text: JSON.stringify({ contract: 1, ...result, jobToken: undefined }) },
])('$title proves nothing', async ({ text }) => {
  if (text !== null) await writeFile(path, text);
  expect(await readResult(text === null ? join(folder.path, 'none.json') : path)).toBeNull();
});
