/** How long maj@8 takes of 285 problems with 16 answers each, four different ones each. */
import { majorityAtK } from '../../decisions/majority-vote.ts';
import { randomIntegers } from '../../decisions/random.ts';

/** Of processor time, the least of ten: what else the machine does is not maj@k's. */
export function majorityMilliseconds(): number {
  const next = randomIntegers(1);
  const problems = Array.from({ length: 285 }, () => {
    const answers = Array.from({ length: 16 }, () => String(next() % 4));
    return { answers, correctAnswers: answers.map((answer) => answer === '0') };
  });
  const times = Array.from({ length: 10 }, () => {
    const begun = process.cpuUsage();
    majorityAtK(problems, 8);
    return process.cpuUsage(begun).user / 1000;
  });
  return Math.min(...times);
}
