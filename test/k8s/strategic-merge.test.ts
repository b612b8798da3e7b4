import { strategicMerge } from '../../k8s/strategic-merge.ts';

const template = {
  spec: {
    restartPolicy: 'Never',
    tolerations: [{ key: 'a' }],
    containers: [
      { name: 'trainer', image: 'one', env: [{ name: 'A', value: '1' }], resources: { limits: { memory: '1Gi' } } },
    ],
    volumes: [{ name: 'tmp', emptyDir: {} }],
  },
};

test.each<{ title: string; patch: Record<string, unknown>; want: object }>([
  {
    title: 'a container is found by its name, and only what the patch names changes',
    patch: { spec: { containers: [{ name: 'trainer', resources: { limits: { 'rdma/ib': '1' } } }] } },
    want: {
      spec: {
        containers: [{ ...template.spec.containers[0], resources: { limits: { memory: '1Gi', 'rdma/ib': '1' } } }],
      },
    },
  },
  {
    title: 'a variable of the same name is changed, another one is added',
    patch: {
      spec: {
        containers: [
          {
            name: 'trainer',
            env: [
              { name: 'A', value: '2' },
              { name: 'B', value: '3' },
            ],
          },
        ],
      },
    },
    want: {
      spec: {
        containers: [
          {
            ...template.spec.containers[0],
            env: [
              { name: 'A', value: '2' },
              { name: 'B', value: '3' },
            ],
          },
        ],
      },
    },
  },
  {
    title: 'a container that is not there is added after the others',
    patch: { spec: { containers: [{ name: 'sidecar', image: 'two' }] } },
    want: { spec: { containers: [...template.spec.containers, { name: 'sidecar', image: 'two' }] } },
  },
  {
    title: 'tolerations have no key and are replaced whole',
    patch: { spec: { tolerations: [{ key: 'b' }] } },
    want: { spec: { tolerations: [{ key: 'b' }] } },
  },
  { title: 'null removes', patch: { spec: { tolerations: null } }, want: { spec: { tolerations: undefined } } },
  {
    title: 'what is not there yet is made',
    patch: { metadata: { annotations: { 'k8s.v1.cni.cncf.io/networks': 'rdma' } } },
    want: { metadata: { annotations: { 'k8s.v1.cni.cncf.io/networks': 'rdma' } } },
  },
])('$title', ({ patch, want }) => {
  const before = structuredClone(template);
  const wanted = want as { spec?: object };
  expect(strategicMerge(template, patch)).toEqual({
    ...template,
    ...wanted,
    spec: { ...template.spec, ...wanted.spec },
  });
  expect(template).toEqual(before);
});

test.each([
  {
    title: 'a directive',
    patch: { spec: { containers: [{ name: 'trainer', $patch: 'delete' }] } },
    want: 'podTemplate.spec.containers.0.$patch is a directive, and none is understood here: write what should come out',
  },
  {
    title: 'a container without a name',
    patch: { spec: { containers: [{ image: 'two' }] } },
    want: 'podTemplate.spec.containers.0 has no name, by which entries are matched',
  },
])('$title is refused with its place', ({ patch, want }) => {
  expect(() => strategicMerge(template, patch)).toThrow(want);
});
