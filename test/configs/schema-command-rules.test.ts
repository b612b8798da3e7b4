/** Commands that a person got wrong, each told at its field, with the nearest right word. */
import { loadRecipe } from '../../configs/load.ts';
import { addition, type Document, foreign, leastPhases, recipeOf } from '../support/recipes.ts';

const command = (params: Document, more: Document = {}): Document => ({
  ...foreign,
  params: { ...foreign.params, ...params },
  ...more,
});

async function answerTo(...phases: Document[]): Promise<string[]> {
  const message = await loadRecipe('.', recipeOf(phases, { benchmarks: { addition } })).then(
    () => 'valid',
    (error: unknown) => (error as Error).message,
  );
  return message === 'valid' ? [] : message.split('\n').slice(1);
}

test.each<{ title: string; phases: Document[]; want: string[] }>([
  { title: 'a command', phases: [command({})], want: [] },
  {
    title: 'doubled braces, and JSON',
    phases: [command({ command: ['t', '{output}/{{rollout_id}}', '{"a": {"b": 1}}'] })],
    want: [],
  },
  {
    title: 'a misspelled placeholder',
    phases: [command({ command: ['t', '{ouput}'] })],
    want: ['params.command.1: has {ouput}, which is no placeholder; did you mean {output}?'],
  },
  {
    title: 'one in the environment and one in the working directory',
    phases: [command({ env: { A: '{Seed}' }, workingDirectory: '{hom}' })],
    want: ['params.env.A: has {Seed}, which', 'params.workingDirectory: has {hom}, which'],
  },
  {
    title: 'a checkpoint where a first attempt has none',
    phases: [command({ command: ['t', '--load', '{checkpoint}'] })],
    want: ['params.command.2: has {checkpoint}, and a first attempt has none: it belongs into "resumeArgs"'],
  },
  {
    title: 'a resume that takes the latest',
    phases: [command({ resumeArgs: ['--resume', 'auto'] })],
    want: ['params.resumeArgs: name no {checkpoint}'],
  },
  {
    title: 'a variable that Temper sets',
    phases: [command({ env: { TEMPER_JOB_TOKEN: 'x' } })],
    want: ['params.env.TEMPER_JOB_TOKEN: is one that Temper sets itself'],
  },
  {
    title: 'a role with placeholders and variables of its own',
    phases: [command({ roles: { engine: { command: ['serve', '{start}'], env: { CONTEXT: '{steps}' } } } })],
    want: [],
  },
  {
    title: 'a role that is called like those it serves',
    phases: [command({ roles: { trainer: { command: ['train'] } } })],
    want: ['params.roles.trainer: is the role of those that params.command starts: name the others, such as "engine"'],
  },
  {
    title: 'mistakes in what a role runs',
    phases: [command({ roles: { engine: { command: ['serve', '{strat}'], env: { TEMPER_ROLE: 'x' } } } })],
    want: [
      'params.roles.engine.command.1: has {strat}, which is no placeholder; did you mean {start}?',
      'params.roles.engine.env.TEMPER_ROLE: is one that Temper sets itself',
    ],
  },
  {
    title: 'a role without a command, one with a field that is none, and one whose name is none',
    phases: [command({ roles: { engine: {}, router: { command: ['x'], nodes: 2 }, 'Engine 2': { command: ['x'] } } })],
    want: [
      'params.roles.engine.command: is missing (a list)',
      'params.roles.router.nodes: is no field here; fields: command, env',
      'params.roles.Engine 2: a name is lower-case letters, digits and single dashes',
    ],
  },
  {
    title: 'a folder outside of the output',
    phases: [command({ checkpoints: { format: 'hf', folder: '../elsewhere' } })],
    want: ['params.checkpoints.folder: is a path below {output}'],
  },
  {
    title: 'a folder outside of the output, behind a line break',
    phases: [command({ checkpoints: { format: 'hf', folder: '\n/../../attempt-1/output' } })],
    want: ['params.checkpoints.folder: is a path below {output}'],
  },
  {
    title: 'a shell line in place of a list',
    phases: [command({ command: 'python t.py' })],
    want: ['params.command: is "python t.py", and must be a list'],
  },
  {
    title: 'a format that nobody reads',
    phases: [command({ checkpoints: { format: 'megatorn' } })],
    want: ['params.checkpoints.format: is "megatorn"; did you mean "megatron"?'],
  },
  {
    title: 'an evaluation of what the evaluation cannot read',
    phases: [command({ checkpoints: { format: 'slime' } }, { evaluate: { benchmarks: ['addition'] } })],
    want: ['evaluate: reads hf and peft, and the checkpoints are slime'],
  },
  {
    title: 'a built-in phase after one that it cannot read',
    phases: [command({ checkpoints: { format: 'megatron' } }), leastPhases.sft],
    want: ['phases.sft.kind: starts from phase "tuned", whose checkpoints are megatron'],
  },
  {
    title: 'a command after it',
    phases: [command({ checkpoints: { format: 'megatron' } }), command({}, { name: 'converted' })],
    want: [],
  },
  {
    title: 'a gate that compares with what no evaluation reads',
    phases: [
      command({ checkpoints: { format: 'megatron' } }),
      command(
        { checkpoints: { format: 'hf' } },
        {
          name: 'converted',
          evaluate: { benchmarks: ['addition'] },
          gate: [{ require: { notWorseThanParent: { benchmark: 'addition', margin: 0.1 } } }],
        },
      ),
    ],
    want: [
      'phases.converted.gate.0.require.notWorseThanParent: compares with the checkpoint of phase "tuned", which is megatron',
    ],
  },
  {
    title: 'more between checkpoints than there are steps',
    phases: [command({ checkpointEvery: 60 })],
    want: ['params.checkpointEvery: is above steps (50)'],
  },
  {
    title: 'a pattern without a step',
    phases: [command({ progress: { pattern: 'loss (?<loss>.*)' } })],
    want: ['params.progress.pattern: has no group (?<step>…)'],
  },
  {
    title: 'a pattern that needs a backtracking engine',
    phases: [command({ progress: { pattern: String.raw`(?<step>\d+)(?=x)` } })],
    want: ['params.progress.pattern: is no regular expression of RE2'],
  },
  {
    title: 'a start pattern of the same kind',
    phases: [command({ progress: { pattern: String.raw`(?<step>\d+)`, started: String.raw`(.)\1` } })],
    want: ['params.progress.started: is no regular expression of RE2'],
  },
])('$title', async ({ phases, want }) => {
  const said = await answerTo(...phases);
  expect(said).toHaveLength(want.length);
  for (const [index, words] of want.entries()) expect(said[index]).toContain(words);
});
