import { appendFile, link, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { adapterActs, compareWeights } from '../../../store/foreign/weights-changed.ts';
import { type Files, hfFiles, safetensors, scratch, shardedFiles, write } from '../checkpoint-fixtures.ts';
import { distributedFiles } from '../formats/megatron-fixtures.ts';

let folder: Awaited<ReturnType<typeof scratch>>;
beforeEach(async () => {
  folder = await scratch();
});
afterEach(() => folder.remove());

const place = (name: string, files: Files) => write(join(folder.path, name), files);
const changedAt = (bytes: Buffer, index: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[index] = (copy[index] ?? 0) ^ 1;
  return copy;
};
const weights = safetensors({ embed: 32, head: 8 });

test.each<{ title: string; before: Files; after: Files; want: string }>([
  { title: 'the same bytes', before: hfFiles(1), after: hfFiles(2), want: 'unchanged' },
  {
    title: 'one bit of the last byte',
    before: { 'model.safetensors': weights },
    after: { 'model.safetensors': changedAt(weights, weights.length - 1) },
    want: 'changed',
  },
  {
    title: 'another cut into shards',
    before: { 'model.safetensors': weights },
    after: shardedFiles(),
    want: 'not-comparable',
  },
  { title: 'no weights at all', before: {}, after: { 'optimizer.pt': 'x' }, want: 'not-comparable' },
])('$title: $want', async ({ before, after, want }) => {
  expect(await compareWeights(await place('before', before), await place('after', after))).toBe(want);
});

test('iterations of Megatron-LM are compared below their own folders', async () => {
  const [before, after] = [join(folder.path, 'before'), join(folder.path, 'after')];
  for (const [path, step] of [
    [before, 4],
    [after, 6],
  ] as const) {
    for (const [name, content] of Object.entries(distributedFiles(step))) {
      await mkdir(join(path, name, '..'), { recursive: true });
      await writeFile(join(path, name), content);
    }
  }
  expect(await compareWeights(before, after)).toBe('unchanged');
  await appendFile(join(after, 'iter_0000006', '__1_0.distcp'), 'x');
  expect(await compareWeights(before, after)).toBe('changed');
});

test('a shard that is linked from the start is the same without being read', async () => {
  const before = await place('before', { 'model.safetensors': weights });
  const after = await place('after', {});
  await link(join(before, 'model.safetensors'), join(after, 'model.safetensors'));
  expect(await compareWeights(before, after)).toBe('unchanged');
});

/** Its last four bytes are the second factor, of which the last one is given. */
const adapter = (last: number): Files => {
  const bytes = safetensors({ 'q.lora_A.weight': 4, 'q.lora_B.weight': 4 });
  bytes.fill(0, bytes.length - 4);
  bytes[bytes.length - 1] = last;
  return { 'adapter_model.safetensors': bytes };
};
test.each([
  { title: 'an adapter whose second factor is zero does nothing', files: adapter(0), want: 'unchanged' },
  { title: 'one that has a single bit does', files: adapter(1), want: 'changed' },
  { title: 'a model has no second factor', files: { 'adapter_model.safetensors': weights }, want: 'not-comparable' },
  { title: 'no adapter', files: hfFiles(1), want: 'not-comparable' },
])('$title', async ({ files, want }) => {
  expect(await adapterActs(await place('adapter', files))).toBe(want);
});
