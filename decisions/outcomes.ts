/**
 * What an evaluation left: rows per sample → one outcome per problem, or why it is no evaluation.
 *
 * Covers rows that are none, samples that are there twice or lacking, problems that are lacking, votes that were over early, and shards. Does not cover reading the file or
 * keeping the outcomes (activities/evaluations.ts).
 */
import { z } from 'zod';
import type { ProblemOutcome, Shard } from './evaluation.ts';
import { isDecided, type VotePolicy, votesOf } from './vote.ts';

/** What the benchmark defines. */
export interface WantedOutcomes {
  readonly samples: number;
  /** Null where only the trainer knows how many there are. */
  readonly problems: number | null;
  /** Where problems are scored by a vote. */
  readonly vote?: VotePolicy | undefined;
}

export type ReadOutcomes =
  | { readonly kind: 'whole'; readonly problems: readonly ProblemOutcome[] }
  | { readonly kind: 'incomplete'; readonly why: string };

const outcomeRow = z
  .object({
    problem: z.string(),
    sample: z.int().min(0),
    correct: z.boolean(),
    answer: z.string().nullable(),
    tokens: z.int().min(0),
    truncated: z.boolean(),
    seconds: z.number().min(0),
    type: z.string().min(1).optional(),
    timedOut: z.boolean().optional(),
    entropy: z.number().min(0).optional(),
  })
  .refine(({ correct, timedOut }) => !(correct && timedOut === true));
type OutcomeRow = z.output<typeof outcomeRow>;

type Lines = Iterable<string> | AsyncIterable<string>;

/** Outcomes in the order of the lines. Whoever leaves out what went wrong must not win by it: anything less than all is none. */
export async function readOutcomes(lines: Lines, wanted: WantedOutcomes): Promise<ReadOutcomes> {
  const rows = await rowsOf(lines);
  return typeof rows === 'string' ? { kind: 'incomplete', why: rows } : outcomesOf(rows, wanted);
}

const ofUnknownSize: ReadOutcomes = { kind: 'incomplete', why: 'how many problems its shards have is not known' };

/** The same of one shard. A trainer that knows nothing of shards leaves all problems in each, which are taken as they are. */
export async function readShard(lines: Lines, wanted: WantedOutcomes, { index, of }: Shard): Promise<ReadOutcomes> {
  const { problems } = wanted;
  const rows = await rowsOf(lines);
  if (typeof rows === 'string') return { kind: 'incomplete', why: rows };
  if (problems === null) return ofUnknownSize;
  const share = Math.max(0, Math.ceil((problems - index) / of));
  if (rows.length === 0 && share === 0) return { kind: 'whole', problems: [] };
  const read = outcomesOf(rows, { ...wanted, problems: null });
  if (read.kind === 'incomplete') return read;
  const count = read.problems.length;
  if (count === share || count === problems) return read;
  return { kind: 'incomplete', why: `it has ${count} of the ${share} problems of its shard` };
}

/** The outcomes of all shards, in the order of the problems; each problem once. Shards that made the same problems lack others. */
export function togetherAgain(shards: readonly (readonly ProblemOutcome[])[], problems: number | null): ReadOutcomes {
  if (problems === null) return ofUnknownSize;
  const byName = new Map<string, ProblemOutcome>();
  for (let row = 0; row < Math.max(...shards.map(({ length }) => length)); row += 1) {
    for (const shard of shards) {
      const outcome = shard[row];
      if (outcome !== undefined && !byName.has(outcome.problem)) byName.set(outcome.problem, outcome);
    }
  }
  if (byName.size === problems) return { kind: 'whole', problems: [...byName.values()] };
  return { kind: 'incomplete', why: `all shards together have ${byName.size} of ${problems} problems` };
}

/** In words what is wrong with a line. */
async function rowsOf(lines: Lines): Promise<readonly OutcomeRow[] | string> {
  const rows: OutcomeRow[] = [];
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    const row = rowOf(line);
    if (row === null) return `its line ${number} is no row of an outcome`;
    rows.push(row);
  }
  return rows;
}

function outcomesOf(rows: readonly OutcomeRow[], wanted: WantedOutcomes): ReadOutcomes {
  const byProblem = Map.groupBy(rows, (row) => row.problem);
  const why = whatIsWrong(byProblem, wanted);
  if (why !== null) return { kind: 'incomplete', why };
  const read = [...byProblem].map(([problem, samples]) => outcomeOf(problem, inTheirOrder(samples)));
  const problems = read.map(({ outcome }) => outcome);
  if (wanted.vote === undefined) return { kind: 'whole', problems };
  const ballots = read.map(({ outcome, entropies }) => ({ ...outcome, entropies }));
  const votes = votesOf(ballots, wanted.vote);
  return { kind: 'whole', problems: problems.map((outcome, index) => ({ ...outcome, voted: votes[index] ?? 0 })) };
}

function rowOf(line: string): OutcomeRow | null {
  try {
    return outcomeRow.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null; // no JSON
  }
}

function whatIsWrong(byProblem: ReadonlyMap<string, readonly OutcomeRow[]>, wanted: WantedOutcomes): string | null {
  const problems = wanted.problems ?? byProblem.size;
  if (byProblem.size === 0) return 'it has no rows';
  for (const [problem, samples] of byProblem) {
    const numbers = new Set(samples.map(({ sample }) => sample));
    if (numbers.size < samples.length) return `it has a sample of problem ${problem} twice`;
    const highest = Math.max(...numbers);
    if (highest >= wanted.samples)
      return `it has sample ${highest} of problem ${problem}, and ${asked(wanted)} from 0 on`;
    if (numbers.size < wanted.samples && !wasOverEarly(samples, highest, wanted))
      return `it has ${numbers.size} of problem ${problem}, and ${asked(wanted)}`;
    const unweighed =
      wanted.vote?.weight && samples.find(({ answer, entropy }) => answer !== null && entropy === undefined);
    if (unweighed)
      return `it has no entropy of sample ${unweighed.sample} of problem ${problem}, by which votes are weighed`;
  }
  return byProblem.size === problems ? null : `it has ${byProblem.size} of ${problems} problems`;
}

/** The samples up to the one with which the vote was decided are all that such a problem needs. */
function wasOverEarly(samples: readonly OutcomeRow[], highest: number, { vote = {} }: WantedOutcomes): boolean {
  return highest === samples.length - 1 && isDecided({ answers: samples.map(({ answer }) => answer) }, vote);
}

function asked({ samples }: WantedOutcomes): string {
  return samples === 1 ? '1 sample is asked for' : `${samples} samples are asked for`;
}

const inTheirOrder = (rows: readonly OutcomeRow[]) => rows.toSorted((a, b) => a.sample - b.sample);

interface ReadProblem {
  readonly outcome: ProblemOutcome;
  readonly entropies: readonly (number | null)[];
}

function outcomeOf(problem: string, samples: readonly OutcomeRow[]): ReadProblem {
  const type = samples[0]?.type;
  const late = samples.filter(({ timedOut }) => timedOut === true).length;
  const outcome = {
    problem,
    samples: samples.length,
    correct: samples.filter(({ correct }) => correct).length,
    tokens: samples.reduce((sum, { tokens }) => sum + tokens, 0),
    truncated: samples.filter(({ truncated }) => truncated).length,
    seconds: samples.reduce((sum, { seconds }) => sum + seconds, 0),
    answers: samples.map(({ answer }) => answer),
    correctAnswers: samples.map(({ correct }) => correct),
    ...(type !== undefined && { type }),
    ...(late > 0 && { timedOut: late }),
  };
  return { outcome, entropies: samples.map(({ entropy }) => entropy ?? null) };
}
