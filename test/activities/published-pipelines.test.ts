/** The published pipelines at full size, planned on their own profiles as a worker of such a site would: pods and GPUs of each phase. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { planOf } from '../../activities/plan.ts';
import { fitting, loadProfile, loadRecipe, parseYaml } from '../../configs/load.ts';
import { repository } from '../../scripts/repository.ts';
import { planText } from '../../workers/terminal/plan-text.ts';
import { type ActivityBench, activityBench } from '../support/activity-bench.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await activityBench();
});
afterEach(() => bench.close());

/** The recipe with its files, which are empty, in a folder of this test. */
async function recipeOfSite(name: string): Promise<Record<string, unknown>> {
  const text = await readFile(join(repository, 'configs', 'recipes', `${name}.yaml`), 'utf8');
  const own = text.replaceAll('/store/', `${bench.folder}/`);
  const recipe = parseYaml(own, name);
  const { path } = recipe['model'] as { path: string };
  const files = [join(path, 'config.json'), ...(own.match(/\/\S+\.jsonl/g) ?? [])];
  for (const file of files) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, '{}\n');
  }
  return recipe;
}

const gpusOf = { base: 'no GPU', bake: 'no GPU' };

test.each<{ name: string; most: number; want: Record<string, string> }>([
  {
    name: 'four-phase-120b',
    most: 1,
    want: { ...gpusOf, sft: '1 GPU', 'drgrpo-certificate': '1 GPU', 'drgrpo-answer': '1 GPU', orpo: '1 GPU' },
  },
  { name: 'behavioural-sft-120b', most: 8, want: { ...gpusOf, sft: '8 GPUs' } },
  {
    name: 'megatron-sft-grpo',
    most: 32,
    want: { base: 'no GPU', sft: '4 pods × 8 GPUs', 'sft-hf': 'no GPU', grpo: '4 pods × 8 GPUs', 'grpo-hf': 'no GPU' },
  },
  {
    name: 'sao-30b',
    most: 64,
    want: { base: 'no GPU', sao: '1 trainer + 3 worker + 4 engine × 8 GPUs', 'sao-hf': '1 GPU' },
  },
])('$name', async ({ name, most, want }) => {
  const recipe = await recipeOfSite(name);
  const { value: profile } = await loadProfile(join(repository, 'configs', 'profiles'), name);
  const plan = await planOf(
    {
      ...bench.dependencies,
      placeOf: () => ({ profile, store: bench.store, home: '/temper' }),
      readRecipe: async (named, set) => fitting(await loadRecipe('.', named, set), profile),
    },
    { recipe },
  );
  const [head = '', , ...lines] = planText(plan).split('\n');
  expect(head).toBe(
    `${name} (inline) on ${name}: ${String(Object.keys(want).length)} to run, 0 to reuse; at most ${String(most)} GPU${most === 1 ? '' : 's'} train at once`,
  );
  const asked = lines.map((line) => /^ {2}(\S+) +run +(.*?) +for training {2}Runs: /.exec(line)?.slice(1));
  expect(Object.fromEntries(asked.map((pair) => pair ?? []))).toEqual(want);
});
