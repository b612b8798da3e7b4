/** Which role the pod of an index has, by what the Job's annotation says; anybody may write over one. */
import { roleOfPod } from '../../k8s/pod-roles.ts';

test.each([
  { text: '{"trainer":2,"engine":1}', want: { name: 'engine', index: 0 } },
  { text: '{"trainer":2}', want: null },
  { text: undefined, want: null },
  { text: '{"trainer":', want: null },
  { text: 'null', want: null },
  { text: '{"trainer":"many"}', want: null },
])('the third pod of $text is $want', ({ text, want }) => {
  expect(roleOfPod(2, text)).toEqual(want);
});
