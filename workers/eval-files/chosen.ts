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

/** The task that is named, or all. Throws with the nearest name. */
export function chosenTasks(where: string, tasks: readonly string[], { task }: Wish): readonly string[] {
  if (tasks.length === 0) throw refused(where, 'has no result of any task');
  if (task === undefined) return tasks;
  if (tasks.includes(task)) return [task];
  const near = nearestName(task, tasks);
  const meant = near === null ? '' : `; did you mean "${near}"?`;
  throw refused(where, `has no task "${task}"${meant} There are: ${tasks.slice(0, 20).join(', ')}`);
}

/** The metric that is named, by its whole name or the part before a comma; else the only one that is a share of right answers. */
export function chosenMetric(
  where: string,
  task: string,
  from: { metrics: readonly Metric[]; wish: Wish },
): Metric & { value: number } {
  const { metrics, wish } = from;
  const names = (some: readonly Metric[]) => some.map(({ name }) => `"${name}"`).join(', ') || 'none';
  const of = `task "${task}"`;
  const shares = metrics.filter((one) => whyNot(one) === null);
  const wanted = wish.metric;
  const meant =
    wanted === undefined
      ? shares
      : metrics
          .filter(({ name }) => name === wanted)
          .concat(metrics.filter(({ name }) => name.split(',')[0] === wanted && name !== wanted));
  const exact = meant.find(({ name }) => name === wanted) ?? (meant.length === 1 ? meant[0] : undefined);
  if (exact === undefined) {
    if (meant.length > 1)
      throw refused(where, `${of} has several metrics that may be meant, ${names(meant)}: name one with --metric`);
    if (wanted !== undefined) throw refused(where, `${of} has no metric "${wanted}"; there are: ${names(metrics)}`);
    throw refused(where, `${of} has no metric that is a share between 0 and 1; there are: ${names(metrics)}`);
  }
  const why = whyNot(exact);
  if (why !== null || exact.value === null) throw refused(where, `metric "${exact.name}" of ${of} ${why ?? ''}`);
  return { ...exact, value: exact.value };
}

function whyNot({ value, higherIsBetter }: Metric): string | null {
  if (value === null) return 'is no number';
  if (!higherIsBetter) return 'is lower where it is better, and a score is a share of right answers';
  return value < 0 || value > 1 ? `is ${String(value)}, and a score is a share between 0 and 1` : null;
}
