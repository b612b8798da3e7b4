/**
 * Lint rules. Import rules between folders are dependency-cruiser's (.dependency-cruiser.mjs); names and lengths of files that ESLint
 * does not see are scripts/house.ts's. Each rule that is ours is tried on a bad file in test/guards.
 */
import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

const programs = ['**/*.mjs'];
const configFiles = ['*.config.mjs', '.dependency-cruiser.mjs'];

/** Workflow code is replayed from its history: what it reads must be in the history. */
const notInWorkflows = [
  'process',
  'Buffer',
  'fetch',
  'performance',
  'require',
  'crypto',
  'setImmediate',
  'queueMicrotask',
  'structuredClone',
  'WeakRef',
  'FinalizationRegistry',
  'console',
].map((name) => ({
  name,
  message: 'Not deterministic in workflow code: use an activity, or what @temporalio/workflow gives.',
}));

/** Decisions are pure: the same evidence gives the same answer, today and in a replayed test. */
const notInDecisions = [
  ...['process', 'fetch', 'performance', 'console', 'crypto', 'setTimeout', 'setInterval', 'setImmediate'].map(
    (name) => ({
      name,
      message: 'Decisions are pure: no clock, no I/O. Take it as an argument.',
    }),
  ),
];

const noClock = [
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: 'No clock in decisions: take the time as an argument.',
  },
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'No clock in decisions: take the time as an argument.',
  },
  {
    selector: "MemberExpression[object.name='Math'][property.name='random']",
    message: 'No chance in decisions: take a seeded generator as an argument.',
  },
];

const noDefaultExport = {
  selector: 'ExportDefaultDeclaration',
  message: 'No default exports: the name of a thing is the same wherever it is used.',
};

/** A trainer owns what the store reads: a link would lead a worker elsewhere, a pipe would hold it for ever. */
const plainReading = {
  paths: [
    {
      name: 'node:fs/promises',
      importNames: ['open', 'readFile'],
      message: 'A trainer may have left a link or a pipe there: open it with store/own-file.ts.',
    },
    {
      name: 'node:fs',
      importNames: ['createReadStream', 'open', 'openSync', 'readFile', 'readFileSync'],
      message: 'A trainer may have left a link or a pipe there: open it with store/own-file.ts.',
    },
  ],
};
/** They open what Temper itself has made, or nothing of a run. */
const opensItsOwn = [
  'store/own-file.ts',
  'store/write-by-rename.ts',
  'store/delete-checkpoint.ts',
  'store/store-check.ts',
  'store/witness.ts',
  'store/ledger/**',
];

export default tseslint.config(
  { ignores: ['dist/', '.temper/', 'node_modules/', 'test/guards/fixtures/', 'trainers/', '**/*.cjs'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      // A number or a boolean in a template reads as it should; an object or undefined does not.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', { max: 3 }],
      'no-restricted-syntax': ['error', noDefaultExport],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      eqeqeq: 'error',
    },
  },
  { files: ['workflows/**/*.ts'], rules: { 'no-restricted-globals': ['error', ...notInWorkflows] } },
  {
    files: ['decisions/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', ...notInDecisions],
      'no-restricted-syntax': ['error', noDefaultExport, ...noClock],
    },
  },
  { files: ['store/**/*.ts'], ignores: opensItsOwn, rules: { 'no-restricted-imports': ['error', plainReading] } },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    // Plain JavaScript: it runs before TypeScript is installed, so it has no types to check.
    files: programs,
    ...tseslint.configs.disableTypeChecked,
    languageOptions: {
      parserOptions: { projectService: false },
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
      },
    },
  },
  { files: configFiles, rules: { 'no-restricted-syntax': 'off' } },
  prettier,
);
