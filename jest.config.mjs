// Four projects: `unit` (fast, two at a time), `e2e` (a real Temporal server and real trainers), `browser` (the same, read in a real
// browser) and `cluster` (a real Kubernetes cluster, of which each process that runs tests has one). The last three run one file at a time
// where they share something: they are given --runInBand. Native ESM, so no jest.mock: dependencies arrive as arguments.

const typescript = {
  '^.+\\.ts$': [
    '@swc/jest',
    { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'es6' }, sourceMaps: 'inline' },
  ],
};

const shared = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: typescript,
  modulePathIgnorePatterns: ['<rootDir>/.temper/', '<rootDir>/dist/'],
};

export default {
  reporters: ['default', '<rootDir>/scripts/run-ends.mjs'],
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: [
        '/node_modules/',
        '<rootDir>/test/(e2e|browser|guards/fixtures)/',
        '<rootDir>/test/cluster/[^/]+$',
      ],
    },
    { ...shared, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.test.ts'] },
    {
      ...shared,
      displayName: 'cluster',
      testMatch: ['<rootDir>/test/cluster/*.test.ts'],
      testEnvironment: '<rootDir>/test/cluster/cluster-environment.mjs',
    },
    { ...shared, displayName: 'browser', testMatch: ['<rootDir>/test/browser/**/*.test.ts'] },
  ],
};
