/**
 * Which fields of one phase go together: steps that never meet, rewards that never count, data that the kind cannot read.
 *
 * Does not cover what other phases, benchmarks or budgets say (schema-rules.ts).
 */

/** What the rules look at; every phase fits. */
export interface PhaseFields {
  readonly name: string;
  readonly kind: string;
  readonly from?: string | { readonly checkpoint: string } | undefined;
  readonly data?: DataFields | object;
  readonly params: {
    readonly steps?: number;
    readonly checkpointEvery?: number;
    readonly promptsPerStep?: number;
    readonly experts?: string;
    readonly lora?: { readonly targets: readonly string[] };
    readonly rewards?: readonly { readonly until?: number | undefined }[];
    readonly pairs?: { readonly from: string };
    readonly command?: readonly string[];
    readonly resumeArgs?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly workingDirectory?: string;
    readonly roles?: Readonly<Record<string, RoleFields>> | undefined;
    readonly checkpoints?: { readonly format: string };
  };
  readonly evaluate?:
    { readonly every?: number | undefined; readonly benchmarks: readonly string[]; readonly seeds: number } | undefined;
  readonly gate: readonly GateFields[];
  readonly onCollapse?: string;
}
interface RoleFields {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
}
interface DataFields {
  readonly tiny?: string;
  readonly rows?: number | undefined;
}
type GateFields =
  | { readonly rank: { readonly by: string } }
  | { readonly require: { readonly notWorseThanParent: { readonly benchmark: string } } }
  | { readonly require: { readonly scoreAtLeast: { readonly benchmark: string } } }
  | { readonly require: { readonly runtimeAtMost: { readonly benchmark: string } } }
  | { readonly compare: { readonly benchmark: string } };

export type Path = readonly (string | number)[];

/** A rule that is broken, at the field that should change. */
export interface BrokenRule {
  readonly path: Path;
  readonly message: string;
}

/** Every broken rule, in the order of the phase's fields. */
export function rulesOfPhase(phase: PhaseFields): BrokenRule[] {
  return [...rulesOfData(phase), ...rulesOfSteps(phase), ...rulesOfRewards(phase), ...rulesOfCollapse(phase)];
}

function rulesOfData({ kind, data, params }: PhaseFields): BrokenRule[] {
  const { tiny, rows }: DataFields = data ?? {};
  const { promptsPerStep, pairs } = params;
  const broken: BrokenRule[] = [];
  const wrong = (message: string) => broken.push({ path: ['data', 'tiny'], message });
  if (tiny !== undefined && pairs?.from === 'data')
    wrong(`is "${tiny}", and pairs.from is "data": pairs are read from a jsonl file, or made with pairs.from "policy"`);
  else if (kind === 'sft' && tiny !== undefined && tiny !== 'solutions')
    wrong(`is "${tiny}", and sft imitates: say "solutions"`);
  else if (kind !== 'sft' && tiny === 'solutions') wrong(`is "solutions", and ${kind} answers: say "problems"`);
  if (rows !== undefined && promptsPerStep !== undefined && rows < promptsPerStep) {
    const message = `is ${String(rows)}, below promptsPerStep (${String(promptsPerStep)}): not one step would be full`;
    broken.push({ path: ['data', 'rows'], message });
  }
  return broken;
}

/** Whoever wants a run stopped by its scores wants them while it trains. */
function rulesOfCollapse({ onCollapse, evaluate, params: { steps = 0 } }: PhaseFields): BrokenRule[] {
  if (onCollapse === undefined || onCollapse === 'tell') return [];
  if (evaluate?.every !== undefined && evaluate.every < steps) return [];
  const every =
    evaluate?.every === undefined
      ? 'set evaluate.every'
      : `evaluate.every is ${String(evaluate.every)} and steps is ${String(steps)}; name fewer steps`;
  const message = `is "${onCollapse}", and only its last checkpoint is evaluated: ${every}, so that there is something to fall from`;
  return [{ path: ['onCollapse'], message }];
}

function rulesOfSteps({ params, evaluate }: PhaseFields): BrokenRule[] {
  const { steps, checkpointEvery } = params;
  if (steps === undefined || checkpointEvery === undefined || steps === 0) return [];
  const broken: BrokenRule[] = [];
  if (checkpointEvery > steps) {
    const message = `is above steps (${String(steps)}): no checkpoint would come before the end`;
    broken.push({ path: ['params', 'checkpointEvery'], message });
  }
  if (evaluate?.every !== undefined && evaluate.every % checkpointEvery !== 0) {
    const message = `is ${String(evaluate.every)}, and a checkpoint comes every ${String(checkpointEvery)} steps: name a multiple`;
    broken.push({ path: ['evaluate', 'every'], message });
  }
  return broken;
}

/** Each set of rewards holds until its step: one that ends before the one above it, or after one without an end, never counts. */
function rulesOfRewards({ params: { rewards = [], steps } }: PhaseFields): BrokenRule[] {
  let begun = 0;
  return rewards.flatMap(({ until }, index): BrokenRule[] => {
    if (index === rewards.length - 1) return [];
    const path = ['params', 'rewards', index, 'until'];
    if (until === undefined) return [{ path, message: 'is missing: only the last rewards hold to the end' }];
    if (until <= begun)
      return [{ path, message: `is ${String(until)}, and the rewards above hold until ${String(begun)}` }];
    begun = until;
    if (steps === undefined || until < steps) return [];
    return [
      { path, message: `is ${String(until)}, and the phase has ${String(steps)} steps: those below never count` },
    ];
  });
}
