/** What `temper explain` says of a phase that waits for a person. */
import { explanationText } from '../../../workers/terminal/explanation-text.ts';
import type { Explanation } from '../../../workflows/contract-questions.ts';

const story = (state: 'held' | 'running'): Explanation => ({
  answer: 'explain',
  pipeline: 'here',
  runId: 'run-1',
  recipe: 'tiny',
  startedAt: '2026-11-29T10:00:00.000Z',
  endedAt: null,
  state: 'running',
  phases: [{ phase: 'sft', kind: 'sft', state, because: 'make the secret "hf", then let it go on', events: [] }],
  omitted: 0,
});

test('how to let a held phase go on stands below why it is held, and nowhere else', () => {
  expect(explanationText(story('held'))).toMatch(
    /\n {2}make the secret "hf", then let it go on\n {2}To go on, mend what it says, then: temper release here; after a rejection: temper promote, temper skip-phase or temper retry-phase$/,
  );
  expect(explanationText(story('running'))).not.toContain('temper release');
});
