/**
 * The plain manifests beside what the code says, without Helm: who changes the table of rights or the profile's schema is told here, before a
 * cluster is. That they are the chart's output is tested where Helm can be built (test/cluster/chart-values.test.ts).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { kubernetesProfileSchema } from '../../configs/schema-profile.ts';
import { rendezvousService } from '../../k8s/job-manifest.ts';
import { rightsWhereMade, ruleOf } from '../../k8s/rights.ts';
import { repository } from '../../scripts/repository.ts';

interface Manifest {
  readonly kind: string;
  readonly rules?: unknown;
  readonly spec?: unknown;
  readonly data?: Readonly<Record<string, string>>;
}

const text = readFileSync(join(repository, 'k8s', 'deploy', 'manifests', 'temper.yaml'), 'utf8');
const manifests = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
const only = (kind: string) => manifests.filter((one) => one.kind === kind)[0];

/** Of the one Service. */
const sight = { apiGroups: [''], resources: ['services'], resourceNames: ['temper-workers'], verbs: ['get'] };

test('its Role and Service are those of the code for its own profile: else `npm run docs` and `npm run manifests` write them anew', () => {
  const profile = kubernetesProfileSchema.parse(parse(only('ConfigMap')?.data?.['cluster.yaml'] ?? ''));
  expect(only('Role')?.rules).toEqual([...rightsWhereMade(profile).map(ruleOf), sight]);
  expect(only('Service')?.spec).toEqual(rendezvousService(profile).spec);
});
