/**
 * Watches whether a phase goes bad while it trains, and what follows where it does: a person is told, its training is stopped, or it is held.
 *
 * Covers when the rule is asked and that a release waves it through. Does not cover the rule (decisions/collapse.ts) or stopping a job (jobs.ts).
 */
import { isCancellation } from '@temporalio/workflow';
import type { Collapse } from '../activities/collapse.ts';
import { messageOf } from './explained.ts';
import type { HeldPhase } from './hold.ts';
import { activities } from './jobs.ts';

export interface CollapseWatch {
  /** Asks the rule, after evaluations have come into the ledger. */
  judge(): Promise<void>;
  /** Resolves when the training is to be stopped, with why; absent where nothing will stop it. */
  stop(): Promise<string> | undefined;
  /** Whether the training is to be stopped, or was. */
  hasFallen(): boolean;
  /** Whether the training is over by it. Asks a person where the recipe says so, who may let it go on. */
  endsTraining(): Promise<boolean>;
  /** What the gate may look at; nothing is said where all. */
  goodOnly(): { readonly upTo?: Collapse['goBackTo'] };
  /** Nobody came, and the recipe says that the parent goes on: why. */
  keepsParent(): string | null;
}

export function watchForCollapse({ context, board, notices, hold }: HeldPhase): CollapseWatch {
  const { onCollapse, evaluate } = context.phase;
  // Older pipelines have no such field, and are replayed without it.
  const watches = (onCollapse as string | undefined) !== undefined && evaluate?.every !== undefined;
  let fell: (why: string) => void = () => undefined;
  const fallen = new Promise<string>((resolve) => (fell = resolve));
  let found: Collapse | null = null;
  let answer: 'gate' | 'keep-parent' | 'wave-through' | null = null;

  const hasFallen = () => found !== null && onCollapse !== 'tell' && answer !== 'wave-through';

  async function judge(): Promise<void> {
    if (!watches || found !== null) return;
    const collapse = await activities('look whether it goes bad').judgeCollapse({ context });
    // Of two evaluations that ended at once one has told it.
    if (collapse === null || (found as Collapse | null) !== null) return;
    found = collapse;
    board.decided(collapse.sentence);
    fell(collapse.sentence);
    if (onCollapse !== 'hold') await notices.tell('collapse', `${collapse.sentence} ${whatFollows[onCollapse]}`);
  }

  return {
    hasFallen,
    async judge() {
      try {
        await judge();
      } catch (error) {
        if (isCancellation(error)) throw error;
        // It trains on: what cannot be judged is no collapse.
        board.decided(`whether it goes bad cannot be judged: ${messageOf(error)}`);
      }
    },
    stop: () => (watches && onCollapse !== 'tell' && answer === null ? fallen : undefined),
    async endsTraining() {
      if (!hasFallen() || found === null) return false;
      if (answer !== null) return true;
      const over = onCollapse === 'hold' ? await hold(found.sentence, { heldFor: 'collapse' }) : 'highest';
      answer = over === 'keep-parent' ? over : over === 'highest' ? 'gate' : 'wave-through';
      return hasFallen();
    },
    goodOnly: () => (hasFallen() && found !== null ? { upTo: found.goBackTo } : {}),
    keepsParent: () => (answer === 'keep-parent' ? (found?.sentence ?? null) : null),
  };
}

const whatFollows = {
  stop: 'Its training is stopped, and its gate looks at what came before.',
  tell: 'It trains on (onCollapse: tell).',
} as const;
