import { notificationText, sentenceOfNotification, type NotificationFact } from '../../decisions/notification.ts';

const notice = {
  event: 'held',
  pipeline: 'demo',
  phase: 'sft',
  cause: 'attempt 3 at step 20: killed. Holds.',
} as const;
const page = 'https://temporal.example/namespaces/default/workflows/demo/run-1';
const textOf = (more: Partial<Parameters<typeof notificationText>[0]>, mayRepeat = false) =>
  notificationText({ ...notice, ...more }, { page, mayRepeat });

test('a hold says which phase, why, what a person can do, and where to look', () => {
  expect(textOf({})).toBe(
    [
      '*demo: phase sft is held for a person*',
      'attempt 3 at step 20: killed. Holds.',
      'Its job runs no longer. It waits 24 hours; to go on: `temper release demo --phase sft`; after a rejection: `temper promote`, `temper skip-phase` or `temper retry-phase`',
      'Why: `temper explain demo sft`',
      page,
    ].join('\n'),
  );
});

test('a hold says for how long it waits and what then, where the recipe says it', () => {
  expect(textOf({ waits: '2 hours, then the highest goes on' })).toContain(
    'It waits 2 hours, then the highest goes on; to',
  );
});

test.each([
  { event: 'failed', want: [/^\*demo: phase sft failed/, /`temper start … --id demo`/] },
  { event: 'budget', want: [/^\*demo: a budget is spent in phase sft\*/, /--set budgets\.evaluations=/] },
] as const)('$event says what happened and the command to go on', ({ event, want }) => {
  for (const words of want) expect(textOf({ event })).toMatch(words);
});

test('a sweep has no phase: what it found and its scores are asked for by its id', () => {
  const text = textOf({
    event: 'sweep',
    pipeline: 'nightly-eval-2026',
    phase: 'sweep',
    cause: 'champion of demo is worse',
  });
  expect(text).toBe(
    [
      '*nightly-eval-2026: this sweep found something to look at*',
      'champion of demo is worse',
      'Why: `temper explain nightly-eval-2026`',
      'Every score: `temper leaderboard nightly-eval-2026`',
      page,
    ].join('\n'),
  );
});

test('what may have been told before says so', () => {
  expect(textOf({}, true)).toMatch(/may have been told before: an earlier try got no answer/);
  expect(textOf({})).not.toMatch(/before/);
});

test('a foreign text is no markup, and not endless', () => {
  const text = textOf({ cause: `<!channel> a & b ${'x'.repeat(5000)}` });
  expect(text).toContain('&lt;!channel&gt; a &amp; b xxx');
  expect(text.length).toBeLessThan(2000);
});

const fact: NotificationFact = {
  event: 'held',
  at: '2026-11-29T10:00:00.000Z',
  tries: 1,
  unanswered: false,
  sentAt: null,
  problem: null,
  refused: false,
};

test.each<{ more: Partial<NotificationFact>; want: string }>([
  { more: { sentAt: fact.at }, want: 'A person was told that the phase is held.' },
  {
    more: { event: 'failed', tries: 4, sentAt: '2026-11-29T10:05:00.000Z' },
    want: 'A person was told that the phase failed at the 4th try, after 5 min.',
  },
  {
    more: { tries: 21, sentAt: fact.at },
    want: 'A person was told that the phase is held at the 21st try.',
  },
  {
    more: { tries: 12, sentAt: fact.at },
    want: 'A person was told that the phase is held at the 12th try.',
  },
  {
    more: { refused: true, problem: 'the webhook answered 404' },
    want: 'A person was to be told that the phase is held, and it is not tried again: the webhook answered 404.',
  },
  {
    more: { tries: 2, problem: 'the webhook answered 500' },
    want: 'A person was to be told that the phase is held: not sent after 2 tries (the webhook answered 500); it is tried again for hours.',
  },
  { more: { tries: 0 }, want: 'A person was to be told that the phase is held: not tried yet.' },
  {
    more: { event: 'budget', unanswered: true },
    want: 'A person was to be told that a budget is spent: not sent after 1 try (no answer yet); it is tried again for hours.',
  },
])('what became of it: $want', ({ more, want }) => {
  expect(sentenceOfNotification({ ...fact, ...more })).toBe(want);
});
