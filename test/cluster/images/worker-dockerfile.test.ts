/** The worker's Dockerfile copies what the product is made of, and what it copies passes its .dockerignore. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../../scripts/repository.ts';
import { describeImage } from './dockerfile.ts';

const folder = join(repository, 'k8s', 'deploy', 'image');
const image = describeImage(readFileSync(join(folder, 'Dockerfile'), 'utf8'));
const sources = image.copied.map(({ from }) => from);

test('every folder of the product is in it, and nothing that is not there', () => {
  const product = ['activities', 'bin', 'configs', 'decisions', 'k8s', 'local', 'store', 'workers', 'workflows'];
  expect(sources).toEqual(expect.arrayContaining(product));
  expect(sources.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
});

test('what is copied is let through to the build, and nothing else', () => {
  const lines = readFileSync(join(folder, 'Dockerfile.dockerignore'), 'utf8').split('\n');
  const letThrough = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  expect(lines).toContain('*');
  expect(letThrough.sort()).toEqual([...sources].sort());
});

test('it runs as a user without rights, whose health is served', () => {
  expect(image).toMatchObject({ user: '1000:1000', environment: { TEMPER_HEALTH_PORT: '9464' } });
});
