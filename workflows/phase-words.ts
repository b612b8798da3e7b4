/**
 * A phase in words, before it starts: the name of its bar in the timeline, and the details of its page.
 *
 * Covers what the recipe says of it. Does not cover how it goes (phase-board.ts).
 */
import type { Phase } from '../configs/schema.ts';
import { targetStepOf } from '../decisions/due-steps.ts';
import type { PhaseContext } from './contract.ts';
import { escaped } from './markdown.ts';

const deeds: Readonly<Record<Phase['kind'], string>> = {
  base: 'the model it all starts from',
  sft: 'supervised fine-tuning',
  drgrpo: 'reinforcement learning by DrGRPO',
  orpo: 'preference tuning by ORPO',
  'mxfp4-merge': 'merge into MXFP4',
  sao: 'reinforcement learning by SAO',
  command: 'a command of its own',
};

/** For example `sft: supervised fine-tuning, 50 steps`. Under 120 characters. */
export function phaseSummary(phase: Phase): string {
  const steps = targetStepOf(phase);
  return `${phase.name}: ${deeds[phase.kind]}${steps > 0 ? `, ${String(steps)} steps` : ''}`;
}

/** What is trained, from what, and what decides; markdown. */
export function phaseDetails(phase: Phase, { start, recipe }: PhaseContext): string {
  const from = start === null ? 'Makes or names the start.' : `Starts from \`${start.id}\`.`;
  const evaluated = phase.evaluate ? `Evaluated on ${phase.evaluate.benchmarks.join(', ')}.` : 'Not evaluated.';
  const params = Object.entries(phase.params).map(([name, value]) => `- ${escaped(name)}: ${shown(value)}`);
  return [`Phase **${phase.name}** of the recipe **${recipe}**. ${from} ${evaluated}`, '', ...params].join('\n');
}

/** As JSON; code where there are quotes, which the page would bend. */
function shown(value: unknown): string {
  return typeof value === 'object' && value !== null
    ? `\`${JSON.stringify(value).replaceAll('`', "'")}\``
    : escaped(String(value));
}
