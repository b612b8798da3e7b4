/**
 * What the vote over a problem's samples came to, and whether it needed no further sample.
 *
 * Covers plain votes: all samples, a number of them (maj@k, majority-vote.ts), or until so many agree. Does not cover weights of votes.
 */
import { type Ballots, majorityAtK } from './majority-vote.ts';

/** As a benchmark has it; without either the vote is over all samples. */
export interface VotePolicy {
  /** The vote is over when so many samples have the same answer, and that answer stands. */
  readonly agreeing?: number | undefined;
  /** The score is how often a vote of so many of the samples is right. */
  readonly of?: number | undefined;
}

/** Per problem, from 0 to 1. Samples count in the order of their numbers; those without an answer do not vote; ties share the vote. */
export function votesOf(problems: readonly Ballots[], { agreeing, of }: VotePolicy): readonly number[] {
  if (of !== undefined) return majorityAtK(problems, of);
  return problems.map((problem) => (agreeing === undefined ? null : standing(problem, agreeing)) ?? plurality(problem));
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

function plurality({ answers, correctAnswers }: Ballots): number {
  const votes = countAnswers(answers);
  const most = Math.max(0, ...votes.values());
  const winners = [...votes].filter(([, count]) => count === most).map(([answer]) => answer);
  const right = winners.filter((winner) => correctAnswers[answers.indexOf(winner)] === true);
  return winners.length === 0 ? 0 : right.length / winners.length;
}

function countAnswers(answers: Ballots['answers']): Map<string, number> {
  const votes = new Map<string, number>();
  for (const answer of answers) if (answer !== null) votes.set(answer, (votes.get(answer) ?? 0) + 1);
  return votes;
}
