/**
 * What happened to an attempt, in one sentence: who failed of what and where, who followed, what came of it, and what it cost.
 *
 * Covers putting the sentence together, as far as things are known: at first what failed, later also what followed. Does not cover the words
 * for a class (class-phrases.ts).
 */
import { phraseOf } from './class-phrases.ts';
import { signalOf } from './exit-codes.ts';
import { type Evidence, type Incident, type RankEnd, takenAlong } from './failure.ts';
import type { RetryDecision } from './retry.ts';
import { retryPolicies } from './retry-policies.ts';
import { changeText, duration, givenUpEvaluations, retryReasonText, sentenceOfRetry } from './sentences.ts';
import { launcherVerdict } from './signatures.ts';

export interface FailedAttempt {
  readonly purpose: 'train' | 'evaluate';
  readonly incident: Incident;
  readonly evidence: Evidence;
}

/** The attempt that came after. */
export interface NextAttempt {
  readonly number: number;
  readonly resumeStep: number;
  /** Where it ran; none while nobody knows. */
  readonly nodes: readonly string[];
  /** From the checkpoint that it went on from to the end of the failed attempt; null when nobody knows. */
  readonly lostSeconds: number | null;
}

/** What came of a failure, as far as it is known. */
export interface Aftermath {
  readonly decision: RetryDecision | null;
  readonly next: NextAttempt | null;
}

const longestQuote = 300;
/** More than these are counted. */
const mostNodes = 3;

/** For example `attempt 2, node gpu-7: NCCL watchdog on rank 5 after 1,800 s in all-reduce at step 418; the other 7 ranks followed`. */
export function whatFailed(failed: FailedAttempt): string {
  const { purpose, incident, evidence } = failed;
  const { what, more = '', quote } = phraseOf(incident, evidence);
  const said = quote === undefined ? '' : ` ("${cut(quote)}")`;
  const name = purpose === 'train' ? 'attempt' : 'evaluation job';
  const who = [`${name} ${String(incident.attempt)}`, ...placeOf(failed)].join(', ');
  return `${who}: ${what}${whenOf(failed)}${more}${said}${followersOf(evidence, incident)}`;
}

/** The whole sentence, with its full stop. */
export function sentenceOfFailure(failed: FailedAttempt, { decision, next }: Aftermath): string {
  const came =
    next === null ? (decision === null ? [] : [whatFollows(decision, failed)]) : whatFollowed(failed, next, decision);
  return `${[whatFailed(failed), ...came].join('; ')}.`;
}

/** A person held the phase, and this stopped for it: no failure, and nothing is tried again before a release. */
export function isStoppedByHold({ because }: Pick<Incident, 'because'>): boolean {
  return because.rule === 'stopped-by-temper' && because.why === 'hold';
}

/** What was decided after it, and why; of what a hold stopped, that it waits for a person. */
export function sentenceOfWhatFollows(
  decision: RetryDecision,
  { purpose, incident }: Pick<FailedAttempt, 'purpose' | 'incident'>,
): string {
  const { kind } = decision;
  if (!isStoppedByHold(incident) || kind === 'hold' || kind === 'fail') return sentenceOfRetry(decision, purpose);
  if (purpose === 'evaluate') return 'What is lacking is asked for again after a release; a hold costs no attempt.';
  const begins = kind === 'restart' ? 'Begins anew' : 'Goes on from its newest checkpoint';
  return `${begins} after a release; a hold costs no attempt.`;
}

/** `18 steps (12 min) lost`; null where the failure lost nothing that can be counted. */
export function lossOf({ purpose, incident, evidence }: FailedAttempt, next: NextAttempt): string | null {
  if (purpose !== 'train' || !hasSteps(evidence) || neverRan(incident, evidence)) return null;
  const steps = Math.max(0, stepOf(incident, evidence) - next.resumeStep);
  const time = next.lostSeconds === null || next.lostSeconds < 1 ? '' : ` (${duration(next.lostSeconds)})`;
  if (steps === 0) return 'no step lost';
  return `${String(steps)} step${steps === 1 ? '' : 's'}${time} lost`;
}

function placeOf({ incident, evidence }: FailedAttempt): string[] {
  const nodes = incident.node === null ? nodesOf(evidence) : [incident.node].filter((node) => node !== '');
  if (nodes.length === 0) return [];
  if (nodes.length > mostNodes) return [`${String(nodes.length)} nodes`];
  return [`node${nodes.length === 1 ? '' : 's'} ${nodes.join(', ')}`];
}

function nodesOf({ ranks }: Evidence): readonly string[] {
  return [...new Set(ranks.map(({ node }) => node))].filter((node) => node !== '').sort();
}

function whenOf({ incident, evidence, purpose }: FailedAttempt): string {
  const { asked } = evidence;
  if (purpose === 'evaluate') {
    const { completedStep, newProblems = 0 } = incident;
    const kept = newProblems > 0 ? `, ${String(newProblems)} problem${newProblems === 1 ? '' : 's'} kept` : '';
    return `, after ${String(completedStep)} of ${String(asked.targetStep)} evaluations${kept}`;
  }
  if (!hasSteps(evidence) || neverRan(incident, evidence)) return '';
  const step = stepOf(incident, evidence);
  return step > (asked.resume?.step ?? 0) ? ` at step ${String(step)}` : ' before its first step';
}

/** A merge, a seal or an evaluation counts no steps. */
const hasSteps = ({ asked }: Evidence): boolean => asked.trains && asked.targetStep > 0;

/** How far it came, by its own word or by what it saved. */
function stepOf({ step }: Incident, { asked, newestCompleteStep }: Evidence): number {
  return Math.max(step, newestCompleteStep ?? 0, asked.resume?.step ?? 0);
}

/** It waited in vain for its place, or for what it needs to start there. */
const neverRan = ({ class: name, because }: Incident, { lastProgress, newestCompleteStep }: Evidence): boolean =>
  lastProgress === null &&
  newestCompleteStep === null &&
  (because.rule === 'waited' || retryPolicies[name].then === 'wait');

/** Processes that ended badly because of the one that is blamed. torchrun blames one of many in a pod: then pods are counted. */
function followersOf({ ranks }: Evidence, { rank }: Incident): string {
  if (ranks.length < 2 || rank === null) return closedByLauncher(ranks);
  const ofMany = ranks.some(({ lastLines }) => launcherVerdict(lastLines) !== null);
  const blamed = ofMany ? undefined : ranks.find((end) => end.rank === rank);
  const endedWell = blamed !== undefined && !endedBadly(blamed);
  const followed = ranks.filter(endedBadly).length - (endedWell ? 0 : 1);
  if (followed < 1) return '';
  const noun = ofMany || ranks.some(({ role }) => role !== undefined) ? 'pod' : 'rank';
  const others = ranks.length - 1;
  if (others === 1) return `; the other ${noun} followed`;
  const some = followed === others ? 'the other' : `${String(followed)} of the other`;
  return `; ${some} ${String(others)} ${noun}s followed`;
}

function endedBadly({ exitCode, signal, reason }: RankEnd): boolean {
  return reason === takenAlong || signalOf(exitCode, signal) !== null || (exitCode !== null && exitCode !== 0);
}

/** torchrun says of each process that it takes along that it is told to stop. */
function closedByLauncher(ranks: readonly RankEnd[]): string {
  const lines = ranks.flatMap(({ lastLines }) => lastLines);
  if (launcherVerdict(lines) === null) return '';
  const closed = new Set(lines.flatMap((line) => /Sending process (\d+) closing signal SIGTERM/.exec(line)?.[1] ?? []));
  if (closed.size === 0) return '';
  return `; the other ${closed.size === 1 ? 'rank' : `${String(closed.size)} ranks`} followed`;
}

/** What was decided, before anything came of it. */
function whatFollows(decision: RetryDecision, { purpose, incident }: FailedAttempt): string {
  const { kind, because } = decision;
  // Nothing comes by itself, and so nothing after a delay.
  const delaySeconds = isStoppedByHold(incident) ? 0 : decision.delaySeconds;
  const released = isStoppedByHold(incident) ? ' after a release' : '';
  if (purpose === 'evaluate' && (kind === 'hold' || kind === 'fail'))
    return `gave up ${givenUpEvaluations}, ${retryReasonText(because)}`;
  const after = delaySeconds > 0 ? ` in ${duration(delaySeconds)}` : '';
  switch (kind) {
    case 'resume':
      return `goes on from its newest checkpoint${released}${after}${differenceOf(decision)}`;
    case 'restart':
      return `begins anew${released}${after}${differenceOf(decision)}`;
    case 'roll-back':
      return `goes back to the last checkpoint before step ${String(decision.rollBackBefore)}${after}${differenceOf(decision)}`;
    case 'wait':
      return `waits and tries again${after}`;
    case 'hold':
      return `held for a person, ${retryReasonText(because)}`;
    case 'fail':
      return `the phase failed, ${retryReasonText(because)}`;
  }
}

/** What came of it; after a hold, a person let it go on. */
function whatFollowed(failed: FailedAttempt, next: NextAttempt, decision: RetryDecision | null): string[] {
  const { purpose, evidence } = failed;
  const loss = lossOf(failed, next);
  const as = `as ${purpose === 'train' ? 'attempt' : 'evaluation job'} ${String(next.number)}`;
  const difference = decision === null ? '' : differenceOf(decision, { nodes: false });
  const isHeld = decision?.kind === 'hold' || isStoppedByHold(failed.incident);
  const release = isHeld ? 'held until a person let it go on, then ' : '';
  const how = next.resumeStep > 0 ? `went on from step ${String(next.resumeStep)} ${as}` : `began anew ${as}`;
  return [`${release}${how}${elsewhere(evidence, next)}${difference}`, ...(loss === null ? [] : [loss])];
}

/** Where the next attempt ran, if that was elsewhere. */
function elsewhere(evidence: Evidence, { nodes }: NextAttempt): string {
  const before = nodesOf(evidence);
  if (nodes.length === 0 || before.length === 0 || nodes.some((node) => before.includes(node))) return '';
  return nodes.length === 1 ? ` on node ${nodes.join('')}` : ' on other nodes';
}

function differenceOf({ change, avoidNodes }: RetryDecision, { nodes } = { nodes: true }): string {
  const away = nodes && avoidNodes.length > 0 ? `, away from ${avoidNodes.join(', ')}` : '';
  return `${change === null ? '' : `, ${changeText(change)}`}${away}`;
}

function cut(text: string): string {
  return text.length <= longestQuote ? text : `${text.slice(0, longestQuote - 1)}…`;
}
