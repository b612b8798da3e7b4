import { cacheKey } from './cache-key.ts';
import type { BuildInputs } from './cache-key.ts';

const inputs: BuildInputs = {
  files: { 'kube/go.sum': 'a', 'kube/main.go': 'b' },
  goVersion: 'go1.26.8',
  architecture: 'x64',
  steps: ['kube'],
};

test('the same inputs have the same key, whatever order files were listed in', () => {
  const turned = { ...inputs, files: { 'kube/main.go': 'b', 'kube/go.sum': 'a' } };
  expect(cacheKey(turned)).toBe(cacheKey(inputs));
  expect(cacheKey(inputs)).toMatch(/^[0-9a-f]{16}$/);
});

test.each<{ what: string; change: Partial<BuildInputs> }>([
  { what: 'a digest', change: { files: { ...inputs.files, 'kube/go.sum': 'c' } } },
  { what: 'a program', change: { files: { ...inputs.files, 'kube/main.go': 'c' } } },
  { what: 'a file more', change: { files: { ...inputs.files, 'etcd/go.sum': '' } } },
  { what: 'the version of Go', change: { goVersion: 'go1.26.9' } },
  { what: 'the processor', change: { architecture: 'arm64' } },
  { what: 'a flag or a package', change: { steps: ['kube', 'runc'] } },
])('$what changes it', ({ change }) => {
  expect(cacheKey({ ...inputs, ...change })).not.toBe(cacheKey(inputs));
});
