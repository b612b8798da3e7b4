import { nearestName } from '../../configs/nearest-name.ts';

const valid = ['learningRate', 'batchSize', 'steps', 'sft', 'orpo'];

test.each<{ given: string; want: string | null }>([
  { given: 'steps', want: 'steps' },
  { given: 'step', want: 'steps' },
  { given: 'setps', want: 'steps' },
  { given: 'learning_rate', want: 'learningRate' },
  { given: 'LEARNING-RATE', want: 'learningRate' },
  { given: 'learning rate', want: 'learningRate' },
  { given: 'lerningRat', want: 'learningRate' },
  { given: 'sfft', want: 'sft' },
  { given: 'wandbProject', want: null },
  { given: 'xyz', want: null },
  { given: '', want: null },
])('"$given" means $want', ({ given, want }) => {
  expect(nearestName(given, valid)).toBe(want);
});

test.each([
  { given: 'grpo', among: ['sft', 'orpo', 'drgrpo'], want: 'drgrpo' },
  { given: 'rate', among: ['learningRate', 'criticLearningRate', 'range'], want: 'range' },
])('"$given" is a part of one name or of none: $want', ({ given, among, want }) => {
  expect(nearestName(given, among)).toBe(want);
});

test('of two that are as near, the first; of none, none', () => {
  expect(nearestName('ab', ['ax', 'xb'])).toBe('ax');
  expect(nearestName('ab', [])).toBeNull();
});
