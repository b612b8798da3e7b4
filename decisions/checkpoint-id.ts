/** The one way a checkpoint's id is made, and its short name for people. */

/** For example `demo/sft/a1/checkpoint-50`: unique for ever, since attempt numbers are never reused. */
export function checkpointId(of: {
  readonly workflowId: string;
  readonly phase: string;
  readonly attempt: number;
  readonly step: number;
}): string {
  return `${of.workflowId}/${of.phase}/a${String(of.attempt)}/checkpoint-${String(of.step)}`;
}

/** For example `sft-50`: enough to tell apart what is looked at within one pipeline. */
export function checkpointShortName({ phase, step }: { readonly phase: string; readonly step: number }): string {
  return `${phase}-${String(step)}`;
}
