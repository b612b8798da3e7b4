/**
 * Files of other harnesses, copied into a folder for each test. Those of lm-eval were written by lm_eval 0.4.13 (`--model dummy --log_samples`, two
 * small tasks), those of lighteval below out by 0.13 (`custom` model, `--save-details`, two small tasks); the other one of lighteval has the
 * fields that `EvaluationTracker` saves, NeMo-Skills' those of `ns eval` with two seeds
 * (`MathMetrics`, `summarize_results.py`).
 */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importedResultSchema } from '../../../configs/schema-import.ts';
import { readEvalFile } from '../../../workers/eval-files/read-eval-file.ts';

export const date = '2026-11-30T14-22-22.425848';
export const lmEval = `lm-eval/results_${date}.json`;
export const samples = `lm-eval/samples_tiny_addition_${date}.jsonl`;
export const lighteval = 'lighteval/results_2026-11-30T10-00-00.000000.json';
const sums = '2026-11-30T18-18-10.740180';
export const detailed = `lighteval/out/results/sums-model/results_${sums}.json`;
export const details = `lighteval/out/details/sums-model/${sums}/details_sums|0_${sums}.parquet`;
export const strict = { task: 'tiny_addition', metric: 'exact_match,strict-match' };
export const metrics = 'nemo-skills/metrics.json';
export const output = 'nemo-skills/arithmetic/output-rs1.jsonl';

let folder = '';
export const at = (file: string) => join(folder, file);
export function copyFiles(): void {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'temper-eval-files-'));
    await cp(import.meta.dirname, folder, { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true }));
}

export async function read(file: string, wish: Parameters<typeof readEvalFile>[1] = {}) {
  const results = await readEvalFile(at(file), wish);
  return results.map((one) => importedResultSchema.parse(one));
}
export const edit = async (file: string, change: (text: string) => string) => {
  await writeFile(at(file), change(await readFile(at(file), 'utf8')));
};
export const withoutLine = (number: number) => (text: string) =>
  text
    .split('\n')
    .filter((_, index) => index !== number - 1)
    .join('\n');
