/** Where the time of a pipeline went, a line each phase. */
import type { PipelineResult } from '../../workflows/contract.ts';

const starting = ['starting', 'loading', 'compiling'];
const training = ['training', 'generating'];

export function timesText({ promoted }: PipelineResult): string {
  const worked = promoted.filter(({ outcome }) => outcome.state !== 'reused');
  if (worked.length === 0)
    return 'Nothing was trained: every phase was finished already, and its checkpoint is still sealed.';
  const lines = worked.map(({ phase, outcome }) => {
    const { wall, trainer } = outcome.seconds;
    const sum = (doings: readonly string[]) => doings.reduce((seconds, doing) => seconds + (trainer[doing] ?? 0), 0);
    const all = Object.values(trainer).reduce((seconds, one) => seconds + one, 0);
    const saving = all - sum(starting) - sum(training);
    return [phase, wall, sum(starting), sum(training), saving, Math.max(0, wall - all)] as const;
  });
  const total = lines.reduce((seconds, [, wall]) => seconds + wall, 0);
  const heads = ['phase', 'wall', 'imports and loading', 'training', 'saving', 'evaluation, gate and hand-over'];
  const widths = heads.map((head) => head.length);
  const text = (cells: readonly string[]) =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(8) : cell.padStart(widths[index] ?? 0))).join('  ');
  return [
    `Where the ${total.toFixed(0)} s went:`,
    text(heads),
    ...lines.map(([phase, ...seconds]) => text([phase, ...seconds.map((one) => `${one.toFixed(1)} s`)])),
  ].join('\n');
}
