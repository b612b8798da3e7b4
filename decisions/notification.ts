/**
 * What a person is told when a pipeline needs one, or a sweep found something: the message of a webhook, and what became of it, in words.
 *
 * Covers phases that are held or failed, budgets that are spent, and sweeps. Does not cover sending (activities/notifications.ts).
 */
import { holdRuleOfOlderRuns, holdTime } from './hold.ts';
import { duration } from './sentences.ts';

export const notificationEvents = ['held', 'failed', 'budget', 'collapse', 'sweep'] as const;
export type NotificationEvent = (typeof notificationEvents)[number];

export interface Notice {
  readonly event: NotificationEvent;
  readonly pipeline: string;
  readonly phase: string;
  /** Why, as decisions/ said it. */
  readonly cause: string;
  /** Of a hold: for how long it waits and what then; undefined where the run is older than this. */
  readonly waits?: string | undefined;
}

/** What is known of a notification: its row in the ledger. */
export interface NotificationFact {
  readonly event: NotificationEvent;
  readonly at: string;
  readonly tries: number;
  /** The last try got no answer: it may have arrived. */
  readonly unanswered: boolean;
  readonly sentAt: string | null;
  /** Why the last try failed; null before, and when it was sent. */
  readonly problem: string | null;
  /** Whoever was asked said no, and would again. */
  readonly refused: boolean;
}

/** Longer causes are cut: channels show no more. */
const longestCause = 1500;

/** One text in the markup of Slack, which other chats read as plain text. `page` is the address of the pipeline's page. */
export function notificationText(notice: Notice, more: { readonly page: string; readonly mayRepeat: boolean }): string {
  const { pipeline, cause } = notice;
  const told = cause.length > longestCause ? `${cause.slice(0, longestCause)}…` : cause;
  return [
    `*${escaped(pipeline)}: ${headline(notice)}*`,
    escaped(told),
    ...whatToDo(notice),
    more.page,
    ...(more.mayRepeat ? ['(This may have been told before: an earlier try got no answer.)'] : []),
  ].join('\n');
}

/** What became of it, for the page and `temper explain`. */
export function sentenceOfNotification(fact: NotificationFact): string {
  const what = `A person was to be told that ${events[fact.event]}`;
  if (fact.sentAt !== null) {
    const late = (Date.parse(fact.sentAt) - Date.parse(fact.at)) / 1000;
    const tries = fact.tries === 1 ? '' : ` at the ${ordinal(fact.tries)} try`;
    return `A person was told that ${events[fact.event]}${tries}${late < 1 ? '' : `, after ${duration(late)}`}.`;
  }
  if (fact.refused) return `${what}, and it is not tried again: ${fact.problem ?? 'the webhook refused it'}.`;
  if (fact.tries === 0) return `${what}: not tried yet.`;
  const why = fact.problem ?? 'no answer yet';
  return `${what}: not sent after ${String(fact.tries)} ${fact.tries === 1 ? 'try' : 'tries'} (${why}); it is tried again for hours.`;
}

const events: Readonly<Record<NotificationEvent, string>> = {
  held: 'the phase is held',
  failed: 'the phase failed',
  budget: 'a budget is spent',
  collapse: 'the run is collapsing',
  sweep: 'the sweep found something',
};

function headline({ event, phase }: Notice): string {
  switch (event) {
    case 'held':
      return `phase ${escaped(phase)} is held for a person`;
    case 'failed':
      return `phase ${escaped(phase)} failed, and with it the pipeline`;
    case 'budget':
      return `a budget is spent in phase ${escaped(phase)}`;
    case 'collapse':
      return `the scores of phase ${escaped(phase)} are collapsing`;
    case 'sweep':
      return 'this sweep found something to look at';
  }
}

function whatToDo(notice: Notice): string[] {
  const { event, pipeline, phase } = notice;
  if (event === 'sweep')
    return [`Why: \`temper explain ${escaped(pipeline)}\``, `Every score: \`temper leaderboard ${escaped(pipeline)}\``];
  return [waysOn({ ...notice, event }), `Why: \`temper explain ${escaped(pipeline)} ${escaped(phase)}\``];
}

function waysOn({
  event,
  pipeline,
  phase,
  waits = holdTime(holdRuleOfOlderRuns),
}: Notice & { readonly event: Exclude<NotificationEvent, 'sweep'> }): string {
  const release = `\`temper release ${escaped(pipeline)} --phase ${escaped(phase)}\``;
  switch (event) {
    case 'held':
      return `Its job runs no longer. It waits ${waits}; to go on: ${release}; after a rejection: \`temper promote\`, \`temper skip-phase\` or \`temper retry-phase\``;
    case 'failed':
      return `Started again under the same id, it goes on from what is finished: \`temper start … --id ${escaped(pipeline)}\``;
    case 'collapse':
      return 'What it saved before is kept for its gate.';
    case 'budget':
      return `The training goes on. To spend more, start it again with a larger one: \`temper start … --id ${escaped(pipeline)} --set budgets.evaluations=<more>\``;
  }
}

/** As Slack asks for: nothing of a foreign text becomes a link or a mention. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function ordinal(count: number): string {
  if (count === 2) return 'second';
  if (count === 3) return 'third';
  const isTeen = Math.floor(count / 10) % 10 === 1;
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${String(count)}${ending}`;
}
