/** What jobs ask for, in quantities as people write them in YAML: with quotes, without, and what is none. */
import { profileSchema } from '../../configs/schema.ts';
import { problemsOf } from '../../configs/problems.ts';
import { readYaml } from '../../configs/yaml-text.ts';

const profileWith = (cpu: string) =>
  readYaml(
    `{name: x, backend: kubernetes, namespace: n, store: {claim: c, path: /s}, jobs: {default: {cpu: ${cpu}}}}`,
    'x.yaml',
  ).value;

test.each([
  { cpu: '4', want: '4' },
  { cpu: '0.5', want: '0.5' },
  { cpu: '2.5', want: '2.5' },
  { cpu: '"4"', want: '4' },
  { cpu: '500m', want: '500m' },
])('cpu: $cpu is taken as $want', ({ cpu, want }) => {
  expect(profileSchema.parse(profileWith(cpu))).toMatchObject({ jobs: { default: { cpu: want } } });
});

const noQuantity = 'must be a quantity as Kubernetes has them, such as 96, 0.5, 500m or 1600Gi';
test.each([
  { cpu: '0', want: noQuantity },
  { cpu: '-4', want: noQuantity },
  { cpu: '0.0', want: noQuantity },
  { cpu: 'four', want: noQuantity },
  { cpu: 'true', want: 'is true, and must be a text or a number' },
])('cpu: $cpu is refused', ({ cpu, want }) => {
  const document = profileWith(cpu);
  const { error } = profileSchema.safeParse(document);
  expect(problemsOf(profileSchema, document, error?.issues ?? [])).toEqual([
    { field: 'jobs.default.cpu', message: want },
  ]);
});
