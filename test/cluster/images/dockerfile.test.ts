/** The Dockerfile of the trainers' image is parsed here, and what the image without Docker takes from it is what it says. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../../scripts/repository.ts';
import { describeImage, readInstructions } from './dockerfile.ts';

const trainers = join(repository, 'trainers');
const dockerfile = readFileSync(join(trainers, 'image', 'Dockerfile'), 'utf8');

describe('the trainers’ Dockerfile', () => {
  const image = describeImage(dockerfile);

  test('its base is a CUDA image with a whole version', () => {
    expect(image.base).toMatch(/^nvidia\/cuda:\d+\.\d+\.\d+-/);
  });

  test('it runs as a user without rights, and writes only to /tmp', () => {
    expect(image.user).toBe('1000:1000');
    expect(image.environment).toMatchObject({ HOME: '/tmp', PYTHONDONTWRITEBYTECODE: '1' });
    expect(image.folder).toBe('/tmp');
  });

  test('everything that it copies is there, and its entry point is one of it, a program', () => {
    for (const { from } of image.copied) expect(existsSync(join(trainers, from))).toBe(true);
    const entry = image.copied.find(({ to }) => to === image.entrypoint[0]);
    expect(entry?.mode).toBe(0o755);
    expect(statSync(join(trainers, entry?.from ?? '')).isFile()).toBe(true);
  });

  test('packages are those of the lock, each checked against its digest', () => {
    const [install] = readInstructions(dockerfile).filter(({ value }) => value.includes('pip install'));
    expect(install?.value).toContain('--require-hashes --requirement /opt/temper/requirements.lock');
  });
});

const least = 'FROM a:1\nWORKDIR /\nUSER 1\nENTRYPOINT ["/e"]\n';

test('continued lines are one instruction, and comments none', () => {
  expect(readInstructions('# first\nENV A=1 \\\n    B=2\n\nUSER 1\n')).toEqual([
    { name: 'ENV', value: 'A=1 B=2' },
    { name: 'USER', value: '1' },
  ]);
});

test.each([
  { text: 'from a\n', want: 'is no instruction' },
  { text: `${least}VOLUME /x\n`, want: 'VOLUME in the Dockerfile is not understood' },
  { text: `${least}FROM b:1\n`, want: 'must have one FROM' },
  { text: `${least}COPY --from=x a /b\n`, want: 'COPY --from=x a /b is not understood' },
  { text: `${least}ENV A="b c"\n`, want: 'is not understood' },
  { text: least.replace('["/e"]', '/e'), want: 'JSON' },
])('refused: $want', ({ text, want }) => {
  expect(() => describeImage(text)).toThrow(want);
});
