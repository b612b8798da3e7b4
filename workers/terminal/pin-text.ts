/** What `temper pin` and `temper unpin` print. */
import type { Pinned } from '../../workflows/contract-questions.ts';

export function pinText({ checkpoint, pinned, changed, keeps }: Pinned): string {
  if (pinned) return changed ? `Pinned ${checkpoint}: no pruning deletes it.` : `${checkpoint} was pinned before.`;
  const what = changed ? `Unpinned ${checkpoint}.` : `${checkpoint} was not pinned.`;
  if (keeps.length > 0) return `${what} It stays all the same: ${keeps.join(', ')}.`;
  return `${what} A pruning may delete it: \`temper prune\` says whether.`;
}
