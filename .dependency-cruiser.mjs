/**
 * Who may import whom. Each rule is tried on a bad file in test/guards/imports.test.ts.
 *
 *   configs/schema ← decisions ← workflows/contract ← everything else
 *
 * A rule that lists what is allowed forbids the rest, Node's own modules included.
 */

const packages = (names) => `(^|/)node_modules/(${names.join('|')})/`;
const zod = packages(['zod']);
const temporal = packages(['@temporalio']);

const only = (name, from, allowed) => ({
  name,
  severity: 'error',
  from,
  to: { pathNot: allowed, couldNotResolve: false },
});
const never = (name, from, to) => ({ name, severity: 'error', from, to });

const layers = [
  only('schema-imports-zod-only', { path: '^configs/schema' }, ['^configs/(schema|nearest-name|start-of-phase)', zod]),
  only('decisions-are-pure', { path: '^decisions/' }, ['^decisions/', '^configs/schema', zod]),
  only('contract-is-for-everybody', { path: '^workflows/contract' }, ['^decisions/', '^configs/schema', zod]),
  never('configs-stay-low', { path: '^configs/' }, { path: '^(workflows|activities|k8s|local|store|workers|report)/' }),
];

/** Decisions that activities alone ask. */
const evaluateSchema = '^decisions/(classify|command-line|root-cause)\\.ts$';
const largeSchema = {
  path: ['^configs/schema', evaluateSchema],
  pathNot: '^configs/schema-(input|score|import)',
  dependencyTypesNot: ['type-only'],
};

const workflowCode = [
  only('workflows-are-deterministic', { path: '^workflows/' }, [
    '^(workflows|decisions|activities)/',
    '^configs/(schema|problems|nearest-name|start-of-phase)',
    zod,
    packages(['@temporalio/workflow', '@temporalio/common']),
  ]),
  // Each run evaluates what its code imports, in a world of its own: a recipe's schema costs more than all the rest.
  never('workflows-evaluate-no-large-schema', { path: '^workflows/' }, largeSchema),
  // Nor by way of what workflows may import.
  never(
    'no-large-schema-behind-workflows',
    {
      path: '^(decisions/|configs/(problems|nearest-name|schema-(input|score|import)|start-of-phase))',
      pathNot: evaluateSchema,
    },
    largeSchema,
  ),
  never(
    'workflows-know-activities-by-type',
    { path: '^workflows/' },
    { path: '^activities/', dependencyTypesNot: ['type-only'] },
  ),
];

const backends = [
  never('backends-never-import-temporal', { path: '^(k8s|local|store)/' }, { path: temporal }),
  never(
    'backends-never-import-each-other',
    { path: '^(k8s|local|store)/' },
    { path: '^(k8s|local|store)/', pathNot: ['^$1/', '^store/(write-by-rename|absence|own-file)\\.ts$'] },
  ),
  never(
    'backends-see-the-port-by-type',
    { path: '^(k8s|local|store)/' },
    { path: '^activities/backend\\.ts$', dependencyTypesNot: ['type-only'] },
  ),
  never(
    'backends-know-nothing-above',
    { path: '^(k8s|local|store)/' },
    { path: '^(activities|workflows|workers|report)/', pathNot: ['^activities/backend\\.ts$', '^workflows/contract'] },
  ),
  never('activities-see-the-port', { path: '^activities/' }, { path: '^(k8s|local|workers|report)/' }),
  never('activities-get-the-store', { path: '^activities/' }, { path: '^store/', dependencyTypesNot: ['type-only'] }),
  never(
    'activities-know-workflows-by-contract',
    { path: '^activities/' },
    { path: '^workflows/', pathNot: '^workflows/(contract|messages)' },
  ),
];

/** And what waits for it to be there. */
const testCluster = '^test/(cluster/|support/eventually)';

const edges = [
  never('nobody-imports-workers', { pathNot: '^(workers|test|bench|scripts)/' }, { path: '^workers/' }),
  never('nobody-imports-tests', { pathNot: '^test/' }, { path: '^test/', pathNot: testCluster }),
  never('only-benches-use-the-test-cluster', { pathNot: '^(test|bench)/' }, { path: testCluster }),
  never(
    'reports-read-the-leaderboard',
    { path: '^(report/|workers/cli)' },
    { path: '^(store/|decisions/(statistics|evaluation|gate))', dependencyTypesNot: ['type-only'] },
  ),
  never('no-cycles', {}, { circular: true }),
  never('no-missing-modules', {}, { couldNotResolve: true }),
  never(
    'no-development-packages-in-the-product',
    { path: '^(configs|decisions|workflows|activities|k8s|local|store|workers|report)/' },
    { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  ),
];

export default {
  forbidden: [...layers, ...workflowCode, ...backends, ...edges],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(test/guards/fixtures|\\.temper|dist)/' },
    // Imports of types are edges too: cycles of types count, and `import type` can be told from `import`.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
