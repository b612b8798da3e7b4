/**
 * Which tasks and which metric of a file of results are meant. What may mean two things is refused: a wrong guess promotes the wrong checkpoint.
 *
 * Does not cover where a harness keeps them (lm-eval.ts, lighteval.ts, nemo-skills.ts).
 */
import { nearestName } from '../../configs/nearest-name.ts';
import { refused } from './json-files.ts';

/** What a person says besides the file. */
export interface Wish {
  readonly task?: string | undefined;
  readonly metric?: string | undefined;
  /** Where the file does not say how many there are. */
  readonly problems?: number | undefined;
}

export interface Metric {
  /** As the file has it, such as `exact_match,strict-match`. */
  readonly name: string;
  /** Null where it is no finite number. */
  readonly value: number | null;
  readonly higherIsBetter: boolean;
}

/** The task that is named, or all. `averages` are over several tasks. Throws with the nearest name. */
export function chosenTasks(
  where: string,
  tasks: readonly string[],
  { wish, averages }: { readonly wish: Wish; readonly averages: readonly string[] },
): readonly string[] {
  const { task } = wish;
  if (tasks.length === 0) throw refused(where, 'has no result of any task');
  if (task === undefined) return tasks;
  if (tasks.includes(task)) return [task];
  const known = `There are: ${tasks.slice(0, 20).join(', ')}`;
  if (averages.includes(task))
    throw refused(
      where,
      `"${task}" is an average over tasks, which has no problems of its own: name one of them. ${known}`,
    );
  const near = nearestName(task, tasks);
  const meant = near === null ? '' : `; did you mean "${near}"?`;
  throw refused(where, `has no task "${task}"${meant} ${known}`);
}

/** Throws where one task is brought, and its file says another number of problems than the person does. */
export function mustHaveProblems(where: string, told: ReadonlyMap<string, unknown>, { problems }: Wish): void {
  const [[task, says] = ['', undefined], ...others] = told;
  if (others.length > 0 || problems === undefined || typeof says !== 'number' || says === problems) return;
  throw refused(where, `has ${String(says)} problems of "${task}", and --problems says ${String(problems)}`);
}

type Score = Metric & { readonly value: number };

/**
 * Of each task the metric that is named, by its whole name or the part before a comma; else the only one that is a share of right answers. Throws
 * with every task that has none.
 */
export function chosenMetrics(
  where: string,
  metricsOf: ReadonlyMap<string, readonly Metric[]>,
  wish: Wish,
): ReadonlyMap<string, Score> {
  const chosen = new Map<string, Score>();
  const wrong: { readonly task: string; readonly why: WhyNone }[] = [];
  for (const [task, metrics] of metricsOf) {
    const found = metricOf(metrics, wish);
    if (typeof found === 'function') wrong.push({ task, why: found });
    else chosen.set(task, found);
  }
  if (wrong.length === 0) return chosen;
  // Most have the same fault: it is told once.
  const whys = [...Map.groupBy(wrong, ({ why }) => why('')).values()].map((same) => {
    const names = same.map(({ task }) => `"${task}"`);
    const more = names.length > 20 ? ` and ${String(names.length - 20)} more` : '';
    return same[0]?.why(
      names.length === 1 ? `task ${names.join('')}` : `each of ${names.slice(0, 20).join(', ')}${more}`,
    );
  });
  const alone = metricsOf.size > 1 ? '. --task brings one task alone' : '';
  throw refused(where, `${whys.slice(0, 5).join('; ')}${alone}`);
}

/** Why a task has no such metric, of what it is called. */
type WhyNone = (of: string) => string;

function metricOf(metrics: readonly Metric[], { metric: wanted }: Wish): Score | WhyNone {
  const names = (some: readonly Metric[]) => some.map(({ name }) => `"${name}"`).join(', ') || 'none';
  const meant =
    wanted === undefined
      ? metrics.filter((one) => whyNot(one) === null)
      : metrics
          .filter(({ name }) => name === wanted)
          .concat(metrics.filter(({ name }) => name.split(',')[0] === wanted && name !== wanted));
  const exact = meant.find(({ name }) => name === wanted) ?? (meant.length === 1 ? meant[0] : undefined);
  if (exact === undefined) {
    if (meant.length > 1)
      return (of) => `${of} has several metrics that may be meant, ${names(meant)}: name one with --metric`;
    if (wanted !== undefined) return (of) => `${of} has no metric "${wanted}"; there are: ${names(metrics)}`;
    return (of) => `${of} has no metric that is a share between 0 and 1; there are: ${names(metrics)}`;
  }
  const why = whyNot(exact);
  if (why !== null || exact.value === null) return (of) => `metric "${exact.name}" of ${of} ${why ?? ''}`;
  return { ...exact, value: exact.value };
}

function whyNot({ value, higherIsBetter }: Metric): string | null {
  if (value === null) return 'is no number';
  if (!higherIsBetter) return 'is lower where it is better, and a score is a share of right answers';
  return value < 0 || value > 1 ? `is ${String(value)}, and a score is a share between 0 and 1` : null;
}
