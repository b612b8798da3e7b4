/** What doctor prints fits a terminal of 100 columns, and its commands can be copied. */
import { fine, missing, notChecked, warning } from '../../../decisions/health-check.ts';
import { createObject, kubectlIn } from '../../../k8s/doctor/commands.ts';
import { checksText } from '../../../workers/terminal/checks-text.ts';

const place = { namespace: 'a-namespace-with-a-rather-long-name-in-it' };
const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'checkpoints' },
  spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '100Gi' } } },
};

test('each thing has a line, then what mends it; the last line counts', () => {
  const text = checksText('Profile site', [
    fine('version', 'Kubernetes v1.36.3'),
    missing('account', 'there is no service account x', { command: 'kubectl -n n create serviceaccount x' }),
    warning('quota', 'it waits', { change: 'wait' }),
    notChecked('nodes', 'you may not list nodes'),
  ]);
  expect(text).toBe(`Profile site

ok           version      Kubernetes v1.36.3
missing      account      there is no service account x
  $ kubectl -n n create serviceaccount x
warning      quota        it waits
                          → wait
not checked  nodes        you may not list nodes

Not ready: 1 missing, 1 warning, 1 not checked.`);
});

test.each([
  { checks: [fine('a', 'b')], want: 'Everything that is needed is there.' },
  { checks: [notChecked('a', 'b')], want: 'Nothing is known to be missing: 1 not checked.' },
])('$want', ({ checks, want }) => {
  expect(checksText('x', checks)).toMatch(new RegExp(`\n${want}$`));
});

test('long words and long commands stay within 100 columns', () => {
  const what = 'the Job is refused: '.repeat(20);
  const commands = [
    createObject(place, claim),
    kubectlIn(
      place,
      'create',
      'secret',
      'docker-registry',
      'registry',
      '--docker-server=registry.example.com',
      '--docker-username=USER',
      '--docker-password=PASSWORD',
    ),
  ];
  const text = checksText(
    'x',
    commands.map((command) => missing('a', what, { command, change: what })),
  );
  expect(text.split('\n').filter((line) => line.length > 100)).toEqual([]);
});

test('a command is one for a shell, whatever stands in it', () => {
  expect(kubectlIn({ namespace: 'n', context: "it's" }, 'get', 'pods')).toBe(
    `kubectl --context 'it'\\''s' -n n get pods`,
  );
});
