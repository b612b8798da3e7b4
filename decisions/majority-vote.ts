/**
 * maj@k: how often a vote of k samples is right, from more samples than k. Not in any verdict, since a gate compares shares of right samples,
 * and on no page yet.
 */
import { draws, picksWithReplacement } from './random.ts';

/** The answers of one problem's samples: null where none could be read. */
export interface Ballots {
  readonly answers: readonly (string | null)[];
  readonly correctAnswers: readonly boolean[];
}

/**
 * Per problem, the chance that a majority vote of `k` samples is correct: 2,000 seeded draws of k with replacement, the same draws
 * for all problems with as many samples. Tied answers share the vote; samples without an answer do not vote.
 */
export function majorityAtK(problems: readonly Ballots[], k: number): readonly number[] {
  const drawsOf = new Map<number, Uint16Array>();
  return problems.map((problem) => {
    const { votes, right } = countBallots(problem);
    if (right.length === 0) return 0;
    const picks = drawsOf.get(votes.length) ?? drawPicks(votes.length, k);
    drawsOf.set(votes.length, picks);
    return shareOfRightVotes(votes, right, picks);
  });
}

/** Which samples each draw picks, one draw after the other. */
function drawPicks(n: number, k: number): Uint16Array {
  return Uint16Array.from({ length: draws * k }, picksWithReplacement(n));
}

/** Each sample as the number of its answer (the last number: none), and per answer whether it is right. Numbered by their text. */
function countBallots({ answers, correctAnswers }: Ballots) {
  const texts = [...new Set(answers.filter((answer) => answer !== null))].sort();
  const numbers = new Map(texts.map((text, index) => [text, index]));
  const right = new Uint8Array(texts.length);
  const votes = new Uint16Array(answers.length);
  answers.forEach((answer, index) => {
    const number = answer === null ? texts.length : (numbers.get(answer) ?? texts.length);
    votes[index] = number;
    if (number < texts.length && correctAnswers[index] === true) right[number] = 1;
  });
  votes.sort();
  return { votes, right };
}

/** Plain loops over typed arrays, whose places are all there: this is the inside of 2,000 draws for each problem. */
function shareOfRightVotes(votes: Uint16Array, right: Uint8Array, picks: Uint16Array): number {
  const k = picks.length / draws;
  const none = right.length;
  const counts = new Int32Array(none + 1);
  let total = 0;
  for (let start = 0; start < picks.length; start += k) {
    counts.fill(0);
    let most = 1;
    for (let place = start; place < start + k; place += 1) {
      const choice = votes[picks[place] as number] as number;
      const count = (counts[choice] as number) + 1;
      counts[choice] = count;
      if (count > most && choice < none) most = count;
    }
    total += shareOfWinners(counts, right, most);
  }
  return total / draws;
}

/** Of the answers with most votes, the share that is right; 0 where nobody answered. */
function shareOfWinners(counts: Int32Array, right: Uint8Array, most: number): number {
  let winners = 0;
  let rightWinners = 0;
  for (let choice = 0; choice < right.length; choice += 1) {
    if (counts[choice] !== most) continue;
    winners += 1;
    rightWinners += right[choice] as number;
  }
  return winners === 0 ? 0 : rightWinners / winners;
}
