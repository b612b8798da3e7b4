/**
 * What the vote over a problem's samples came to, and whether it needed no further sample.
 *
 * Covers votes over all samples, a number of them (maj@k, majority-vote.ts), or until so many agree; and weights by entropy. Does not cover
 * measuring entropy (trainers/).
 */
import { type Ballots, majorityAtK } from './majority-vote.ts';

/** As a benchmark has it; without either the vote is over all samples. */
export interface VotePolicy {
  /** The vote is over when so many samples have the same answer, and that answer stands. */
  readonly agreeing?: number | undefined;
  /** The score is how often a vote of so many of the samples is right. */
  readonly of?: number | undefined;
  /** Where votes do not weigh the same; never with `of`. */
  readonly weight?: VoteWeight | undefined;
}

/**
 * By the entropy in bits over the five likeliest tokens: at the tokens of the answer, each vote 1/(1 + entropy); over all tokens,
 * 1/entropy.
 */
export type VoteWeight = 'answer-entropy' | 'token-entropy';

export interface WeighedBallots extends Ballots {
  /** Of each sample; null where it is not known. */
  readonly entropies: readonly (number | null)[];
}

/** As a sample is weighed that leaves no doubt: the published 1/entropy has no other bound. */
const leastEntropy = 1e-9;

/** Per problem, from 0 to 1. Samples count in the order of their numbers; those without an answer do not vote; ties share the vote. */
export function votesOf(problems: readonly WeighedBallots[], { agreeing, of, weight }: VotePolicy): readonly number[] {
  if (of !== undefined) return majorityAtK(problems, of);
  return problems.map(
    (problem) => (agreeing === undefined ? null : standing(problem, agreeing)) ?? plurality(problem, weight),
  );
}

/** Whether enough of them agree. */
export function isDecided({ answers }: Pick<Ballots, 'answers'>, { agreeing }: VotePolicy): boolean {
  return agreeing !== undefined && [...countAnswers(answers).values()].some((votes) => votes >= agreeing);
}

/** The answer that was the first to have so many votes: whoever sampled on comes to the same. Null where none has. */
function standing({ answers, correctAnswers }: Ballots, agreeing: number): number | null {
  const votes = new Map<string, number>();
  for (const [index, answer] of answers.entries()) {
    if (answer === null) continue;
    const now = (votes.get(answer) ?? 0) + 1;
    if (now === agreeing) return correctAnswers[index] === true ? 1 : 0;
    votes.set(answer, now);
  }
  return null;
}

function plurality({ answers, correctAnswers, entropies }: WeighedBallots, weight: VoteWeight | undefined): number {
  const votes = countAnswers(answers, (index) => weightOf(entropies[index] ?? null, weight));
  const most = Math.max(0, ...votes.values());
  const winners = [...votes].filter(([, count]) => count === most).map(([answer]) => answer);
  const right = winners.filter((winner) => correctAnswers[answers.indexOf(winner)] === true);
  return winners.length === 0 ? 0 : right.length / winners.length;
}

/** One of which nobody knows how sure it is has no weight: such outcomes are none (outcomes.ts). */
function weightOf(entropy: number | null, weight: VoteWeight | undefined): number {
  if (weight === undefined) return 1;
  if (entropy === null) return 0;
  return weight === 'answer-entropy' ? 1 / (1 + entropy) : 1 / Math.max(leastEntropy, entropy);
}

function countAnswers(answers: Ballots['answers'], weigh: (index: number) => number = () => 1): Map<string, number> {
  const votes = new Map<string, number>();
  for (const [index, answer] of answers.entries())
    if (answer !== null) votes.set(answer, (votes.get(answer) ?? 0) + weigh(index));
  return votes;
}
