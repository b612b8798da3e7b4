/** A path through the story whose histories are kept, and what several of them have in common. */
import type { Document } from '../support/recipes.ts';
import { type Answers, evaluatedSft, type Story } from '../support/stories.ts';
import type { Run } from '../support/workflow-bench.ts';

export interface Path {
  readonly name: string;
  /** The run that tells a person is kept too, as `<name>.notification.json`. */
  readonly tells?: true;
  readonly recipe: Document;
  readonly answers: Answers;
  /** What a person does; then the run ends. */
  readonly act?: (run: Run, story: Story) => Promise<unknown>;
}

export const evaluatedOnce = { ...evaluatedSft, evaluate: { benchmarks: ['addition'] } };
