// Three projects: `unit` (fast, two at a time), `e2e` (a real Temporal server and real trainers) and `browser` (the same, read in a real
// browser), the last two one at a time: scripts/jest.ts gives them --runInBand. Native ESM, so no jest.mock: dependencies arrive as arguments.

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
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(e2e|browser|guards/fixtures)/'],
    },
    { ...shared, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.test.ts'] },
    { ...shared, displayName: 'browser', testMatch: ['<rootDir>/test/browser/**/*.test.ts'] },
  ],
};
