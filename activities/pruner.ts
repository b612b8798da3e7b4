/**
 * Prunes a phase while it trains, so that a long one does not fill the disk: each time there is more than may stay.
 *
 * Covers when to prune. A pruning that fails is logged and tried again with the next checkpoint: a watched job is not given up for
 * it. Does not cover what may go (decisions/prune.ts).
 */
import { dueSteps } from '../decisions/due-steps.ts';
import { newestKept } from '../decisions/prune.ts';
import type { PhaseContext } from '../workflows/contract.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { prune } from './prune.ts';

/** Checkpoints beyond those that stay in any case, before it is worth looking. */
const worthLooking = 2;

export interface PruneLog {
  warn(message: string, meta?: Record<string, unknown>): void;
}

export class Pruner {
  readonly #dependencies: ActivityDependencies;
  readonly #context: PhaseContext;
  readonly #log: PruneLog;
  readonly #due: ReadonlySet<number>;
  readonly #steps = new Set<number>();
  #running: Promise<void> | null = null;

  constructor(dependencies: ActivityDependencies, context: PhaseContext, log: PruneLog) {
    this.#dependencies = dependencies;
    this.#context = context;
    this.#log = log;
    this.#due = new Set(dueSteps(context.phase));
  }

  /** A checkpoint of this step is complete. */
  saved(step: number): void {
    if (!this.#due.has(step)) this.#steps.add(step);
    if (!this.#isWorthIt()) return;
    this.#running ??= this.#pruneWhileWorthIt().finally(() => {
      this.#running = null;
    });
  }

  /** Resolves when nothing is being deleted. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Also what comes while it deletes. */
  async #pruneWhileWorthIt(): Promise<void> {
    while (this.#isWorthIt()) await this.#prune();
  }

  #isWorthIt(): boolean {
    return this.#steps.size >= newestKept + worthLooking;
  }

  async #prune(): Promise<void> {
    const { ledger } = this.#dependencies;
    const { pipelineId: workflowId, phase, profile } = this.#context;
    const kept = [...this.#steps].sort((one, other) => other - one).slice(0, newestKept);
    this.#steps.clear();
    for (const step of kept) this.#steps.add(step);
    const { store } = this.#dependencies.placeOf(profile);
    try {
      await prune({ ledger, store }, { workflowId, phase: phase.name }, this.#dependencies.now());
    } catch (error) {
      this.#log.warn(`checkpoints of ${workflowId}/${phase.name} could not be pruned`, { error });
    }
  }
}
