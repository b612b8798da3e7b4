/**
 * maj@k: how often a vote of k samples is right, from k samples or more. On the leaderboard; not in any verdict, since a gate compares shares
 * of right samples.
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
    const { bounds, right } = countBallots(problem);
    const n = problem.answers.length;
    if (right.length === 0) return 0;
    const drawn = drawsOf.get(n) ?? drawBelow(n, k);
    drawsOf.set(n, drawn);
    return shareOfRightVotes({ bounds, right, drawn, n });
  });
}

/** For each draw, one after the other, how many of its picks lie below each of the places 0 to n: so a run of places is one subtraction. */
function drawBelow(n: number, k: number): Uint16Array {
  const pick = picksWithReplacement(n);
  const below = new Uint16Array(draws * (n + 1));
  for (let start = 0; start < below.length; start += n + 1) {
    for (let picked = 0; picked < k; picked += 1) {
      const place = start + pick() + 1;
      below[place] = (below[place] as number) + 1;
    }
    for (let place = start + 1; place <= start + n; place += 1)
      below[place] = (below[place] as number) + (below[place - 1] as number);
  }
  return below;
}

/** The samples in the order of their answers, by text, those without one last: where each answer begins, and whether it is right. */
function countBallots({ answers, correctAnswers }: Ballots) {
  const texts = [...new Set(answers.filter((answer) => answer !== null))].sort();
  const numbers = new Map(texts.map((text, index) => [text, index]));
  const right = new Uint8Array(texts.length);
  const bounds = new Uint16Array(texts.length + 1);
  answers.forEach((answer, index) => {
    const number = answer === null ? undefined : numbers.get(answer);
    if (number === undefined) return;
    bounds[number + 1] = (bounds[number + 1] as number) + 1;
    if (correctAnswers[index] === true) right[number] = 1;
  });
  for (let number = 1; number < bounds.length; number += 1)
    bounds[number] = (bounds[number] as number) + (bounds[number - 1] as number);
  return { bounds, right };
}

interface Vote {
  readonly bounds: Uint16Array;
  readonly right: Uint8Array;
  readonly drawn: Uint16Array;
  readonly n: number;
}

/** Plain loops over typed arrays, whose places are all there: this is the inside of 2,000 draws for each problem. */
function shareOfRightVotes({ bounds, right, drawn, n }: Vote): number {
  let total = 0;
  for (let start = 0; start < drawn.length; start += n + 1) {
    let [most, winners, rightWinners] = [1, 0, 0];
    for (let choice = 0; choice < right.length; choice += 1) {
      const end = drawn[start + (bounds[choice + 1] as number)] as number;
      const count = end - (drawn[start + (bounds[choice] as number)] as number);
      if (count < most) continue;
      if (count > most) [most, winners, rightWinners] = [count, 0, 0];
      winners += 1;
      rightWinners += right[choice] as number;
    }
    if (winners > 0) total += rightWinners / winners;
  }
  return total / draws;
}
