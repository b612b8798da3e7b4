import { fillIn, runtimeSpec } from './configuration.ts';

test('every name of a template gets its value', () => {
  expect(fillIn('bind @NODE_ADDRESS@\n@FOLDER@/x', { NODE_ADDRESS: '10.244.0.1', FOLDER: '/f' })).toBe(
    'bind 10.244.0.1\n/f/x',
  );
});

test('a name without a value is refused', () => {
  expect(() => fillIn('@FODLER@', { FOLDER: '/f' })).toThrow('asks for FODLER');
});

test('containers see the folders of the host read-only, and have no limit of their own on open files', () => {
  const proposed = {
    process: { cwd: '/', rlimits: [{ type: 'RLIMIT_NOFILE', hard: 1024 }] },
    mounts: [{ destination: '/proc' }],
  };
  const spec = JSON.parse(
    runtimeSpec(JSON.stringify(proposed), [{ source: '/s', destination: '/d' }]),
  ) as typeof proposed;
  expect(spec.process).toEqual({ cwd: '/' });
  expect(spec.mounts).toEqual([
    { destination: '/proc' },
    { source: '/s', destination: '/d', type: 'bind', options: ['rbind', 'ro', 'nosuid', 'nodev'] },
  ]);
});
