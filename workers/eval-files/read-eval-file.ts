/**
 * A file of results of another harness → what `temper import-eval` sends. Which harness wrote it is told by what it holds.
 *
 * Does not cover what each one writes (lm-eval.ts, lighteval.ts, nemo-skills.ts).
 */
import type { EvalTool, ImportedResult } from '../../configs/schema-import.ts';
import type { Wish } from './chosen.ts';
import { acceptedFiles, firstLine, readDocument, refused } from './json-files.ts';
import { isLighteval, readLighteval } from './lighteval.ts';
import { isLmEval, isLmEvalSample, readLmEval } from './lm-eval.ts';
import { isNemoMetrics, isNemoOutput, readNemoSkills } from './nemo-skills.ts';

const readers: Readonly<Record<EvalTool, (path: string, wish: Wish) => Promise<readonly ImportedResult[]>>> = {
  'lm-eval': readLmEval,
  lighteval: readLighteval,
  'nemo-skills': readNemoSkills,
};

/** Throws `not-found`, and `invalid-input` with the reason, and the line where there is one. */
export async function readEvalFile(
  path: string,
  wish: Wish & { readonly format?: EvalTool | undefined },
): Promise<readonly ImportedResult[]> {
  const format = wish.format ?? (await formatOf(path));
  return await readers[format](path, wish);
}

async function formatOf(path: string): Promise<EvalTool> {
  if (path.endsWith('.parquet')) return 'lighteval';
  const document = await readDocument(path);
  const value = document?.value ?? (await firstLine(path));
  if (document !== null) {
    if (isLighteval(value)) return 'lighteval';
    if (isLmEval(value)) return 'lm-eval';
    if (isNemoMetrics(value)) return 'nemo-skills';
  }
  if (isLmEvalSample(value)) return 'lm-eval';
  if (isNemoOutput(value)) return 'nemo-skills';
  const fields = Object.keys(value).slice(0, 8).join(', ') || 'none';
  throw refused(
    path,
    `is of no harness that is known here: its fields are ${fields}. Accepted are ${acceptedFiles}. --format says which it is`,
  );
}
