import { phaseSchema } from '../../configs/schema.ts';
import { commandOf, type CommandPhase, type PlaceholderValues } from '../../decisions/command-line.ts';
import { foreign } from '../support/recipes.ts';

const values: PlaceholderValues = {
  output: '/run/output',
  start: '/base/checkpoint-160',
  base: null,
  checkpoint: null,
  home: '/temper',
  phase: 'tuned',
  seed: '7',
  steps: '50',
  checkpointEvery: '10',
  processes: '2',
  attempt: '3',
};
const phaseWith = (params: object): CommandPhase =>
  phaseSchema.parse({ ...foreign, params: { ...foreign.params, ...params } }) as CommandPhase;

test('placeholders are filled in, doubled ones stay, and braces of JSON are left alone', () => {
  const phase = phaseWith({
    command: [
      'python',
      '{home}/t.py',
      '--out={output}',
      '--save-hf',
      '{output}/{{rollout_id}}',
      '{"a": {"b": {seed}}}',
    ],
    env: { SEED: '{seed}' },
    workingDirectory: '{output}',
  });
  expect(commandOf(phase, values)).toEqual({
    argv: ['python', '/temper/t.py', '--out=/run/output', '--save-hf', '/run/output/{rollout_id}', '{"a": {"b": 7}}'],
    env: { PYTHONUNBUFFERED: '1', SEED: '7' },
    workingDirectory: '/run/output',
    image: null,
  });
});

test('what runs beside it comes in the order of the recipe, filled in, without the resume', () => {
  const phase = phaseWith({
    resumeArgs: ['--load', '{checkpoint}'],
    roles: {
      worker: { command: ['join', '{output}'] },
      engine: { command: ['serve', '{start}'], env: { SEED: '{seed}', JSON: '{{a}}' } },
    },
  });
  expect(commandOf(phase, { ...values, checkpoint: '/c/checkpoint-20' }).roles).toEqual([
    { name: 'worker', argv: ['join', '/run/output'], env: {} },
    { name: 'engine', argv: ['serve', '/base/checkpoint-160'], env: { SEED: '7', JSON: '{a}' } },
  ]);
});

test('the resume is added only where there is a checkpoint to go on from', () => {
  const phase = phaseWith({ command: ['train'], resumeArgs: ['--load', '{checkpoint}'] });
  expect(commandOf(phase, values).argv).toEqual(['train']);
  expect(commandOf(phase, { ...values, checkpoint: '/c/checkpoint-20' }).argv).toEqual([
    'train',
    '--load',
    '/c/checkpoint-20',
  ]);
});

test('a path with what looks like a pattern of a replacement is taken as it is', () => {
  const phase = phaseWith({ command: ['train', '{start}'] });
  expect(commandOf(phase, { ...values, start: '/a/$&/{seed}' }).argv).toEqual(['train', '/a/$&/{seed}']);
});
