/**
 * The log of slime: `rollout 12: {…}` when its samples are there, `step 12: {'train/loss': …}` when it has trained on them.
 *
 * Steps are rollouts, as in the names of its checkpoints. What Megatron-LM says of loading holds here too.
 */
import { type LineReader, metricsOf } from './line-reader.ts';
import { megatronLines } from './megatron-lines.ts';

const rollout = /\brollout (\d+): \{/;
const trained = /\bstep (\d+): (\{.*)/;
const pair = /'([^']+)': ([^,}]+)/g;

export function slimeLines(): LineReader {
  const megatron = megatronLines();
  let current: number | null = null;
  return (line) => {
    const sampled = rollout.exec(line);
    if (sampled !== null) {
      current = Number(sampled[1]);
      return null;
    }
    const at = trained.exec(line);
    if (at === null) return megatron(line);
    const pairs = [...(at[2] ?? '').matchAll(pair)].map(
      ([, name = '', text = '']) => [name.replace(/^train\//, ''), text] as const,
    );
    return { kind: 'step', step: current ?? Number(at[1]), of: null, metrics: metricsOf(pairs) };
  };
}
