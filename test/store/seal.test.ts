import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { computeSeal, readSeal, sealPath, verifySeal, writeSeal } from '../../store/seal.ts';
import { scratch, write } from './checkpoint-fixtures.ts';

let folder: Awaited<ReturnType<typeof scratch>>;
beforeEach(async () => {
  folder = await scratch();
});
afterEach(() => folder.remove());

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const files = { 'b.safetensors': 'weights', 'a.json': '{}', 'B.txt': 'text' };
const sealed = async () => {
  const path = await write(join(folder.path, 'checkpoint-4'), files);
  await writeSeal(path, await computeSeal(path, { step: 4, format: 'hf' }));
  return path;
};

test('its digests are those of the contract', async () => {
  const path = await sealed();
  const line = (name: keyof typeof files) => `${sha256(files[name])}  ${String(files[name].length)}  ${name}\n`;
  expect(await readSeal(path)).toMatchObject({
    seal: 'readable',
    value: {
      contract: 1,
      step: 4,
      format: 'hf',
      digest: sha256(line('B.txt') + line('a.json') + line('b.safetensors')),
      weights: sha256(line('b.safetensors')),
    },
  });
});

test('covers files in folders below', async () => {
  const path = await write(join(folder.path, 'checkpoint-4'), files);
  await mkdir(join(path, 'ref'));
  await writeFile(join(path, 'ref', 'adapter.safetensors'), 'x');
  const seal = await computeSeal(path, { step: 4, format: 'peft' });
  expect(seal.files.map((file) => file.path)).toEqual(['B.txt', 'a.json', 'b.safetensors', 'ref/adapter.safetensors']);
});

test('an unchanged checkpoint agrees with it in every byte', async () => {
  const path = await sealed();
  const reading = await readSeal(path);
  if (reading.seal !== 'readable') throw new Error(reading.seal);
  expect(await verifySeal(path, reading.value, 'sizes')).toBeNull();
  expect(await verifySeal(path, reading.value, 'digests')).toBeNull();
});

test('a flipped byte of the same size is seen by digests alone', async () => {
  const path = await sealed();
  const reading = await readSeal(path);
  if (reading.seal !== 'readable') throw new Error(reading.seal);
  await writeFile(join(path, 'b.safetensors'), 'wEights');
  expect(await verifySeal(path, reading.value, 'sizes')).toBeNull();
  expect(await verifySeal(path, reading.value, 'digests')).toBe('b.safetensors differs from its seal');
});

test('one that does not agree with itself is damaged', async () => {
  const path = await sealed();
  const reading = await readSeal(path);
  if (reading.seal !== 'readable') throw new Error(reading.seal);
  await writeFile(sealPath(path), JSON.stringify({ ...reading.value, digest: sha256('other') }));
  expect(await readSeal(path)).toMatchObject({ seal: 'damaged', why: 'the seal does not agree with itself' });
});

test('none is none', async () => {
  expect(await readSeal(join(folder.path, 'checkpoint-9'))).toEqual({ seal: 'none' });
});
