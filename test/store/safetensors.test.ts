import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkSafetensors } from '../../store/safetensors.ts';
import { safetensors, scratch, withHeader } from './checkpoint-fixtures.ts';

let folder: Awaited<ReturnType<typeof scratch>>;
beforeAll(async () => {
  folder = await scratch();
});
afterAll(() => folder.remove());

const check = async (content: Buffer) => {
  const path = join(folder.path, 'model.safetensors');
  await writeFile(path, content);
  return checkSafetensors(path);
};
const tensor = (dtype: string, shape: number[], offsets: [number, number]) => ({ dtype, shape, data_offsets: offsets });
const whole = safetensors({ a: 16, b: 8 });

test('a whole file names its tensors and its size', async () => {
  expect(await check(whole)).toEqual({ whole: true, tensors: ['a', 'b'], bytes: whole.length });
});

test.each([
  { dtype: 'BF16', shape: [2, 3], bytes: 12 },
  { dtype: 'F32', shape: [], bytes: 4 },
  { dtype: 'F4', shape: [4], bytes: 2 },
  { dtype: 'I64', shape: [0], bytes: 0 },
])('$dtype of shape $shape is $bytes bytes', async ({ dtype, shape, bytes }) => {
  const header = { a: tensor(dtype, shape, [0, bytes]), b: tensor('U8', [1], [bytes, bytes + 1]) };
  expect(await check(withHeader(JSON.stringify(header), Buffer.alloc(bytes + 1)))).toMatchObject({ whole: true });
});

test.each([
  { title: 'an empty file', content: Buffer.alloc(0), want: 'too small' },
  { title: 'fewer than eight bytes', content: Buffer.alloc(7), want: 'too small' },
  { title: 'a file cut in its header', content: whole.subarray(0, 30), want: 'cut within its header' },
  { title: 'a file cut in its data', content: whole.subarray(0, -1), want: 'is cut: 23 of 24 bytes' },
  {
    title: 'a file that is too long',
    content: Buffer.concat([whole, Buffer.alloc(3)]),
    want: '3 bytes that no tensor',
  },
  { title: 'zeros of the right length', content: Buffer.alloc(whole.length), want: 'not JSON' },
  { title: 'a header beyond 100 MB', content: Buffer.alloc(16, 0x7f), want: 'more than 100 MB' },
  { title: 'a header that is no object', content: withHeader('[]', Buffer.alloc(0)), want: 'not an object' },
  { title: 'no tensor', content: withHeader('{"__metadata__": {}}', Buffer.alloc(0)), want: 'no tensor' },
  {
    title: 'a gap between tensors',
    content: withHeader(
      JSON.stringify({ a: tensor('U8', [1], [0, 1]), b: tensor('U8', [1], [2, 3]) }),
      Buffer.alloc(3),
    ),
    want: 'a gap or an overlap before tensor "b"',
  },
  {
    title: 'tensors that overlap',
    content: withHeader(
      JSON.stringify({ a: tensor('U8', [2], [0, 2]), b: tensor('U8', [2], [1, 3]) }),
      Buffer.alloc(3),
    ),
    want: 'a gap or an overlap before tensor "b"',
  },
  {
    title: 'a shape that does not fit',
    content: withHeader(JSON.stringify({ a: tensor('F32', [2], [0, 4]) }), Buffer.alloc(4)),
    want: 'shape does not fit',
  },
  {
    title: 'a type nobody knows',
    content: withHeader(JSON.stringify({ a: tensor('Q9', [1], [0, 1]) }), Buffer.alloc(1)),
    want: 'unknown type Q9',
  },
  {
    title: 'a tensor without offsets',
    content: withHeader('{"a": {"dtype": "U8"}}', Buffer.alloc(1)),
    want: 'does not describe',
  },
])('refuses $title', async ({ content, want }) => {
  expect(await check(content)).toEqual({ whole: false, why: expect.stringContaining(want) as string });
});

test('an absent file is missing', async () => {
  expect(await checkSafetensors(join(folder.path, 'none'))).toEqual({ whole: false, why: 'is missing' });
});
