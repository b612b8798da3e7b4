/** What was noted before it was done is taken back where doing it fails for good: nobody is then told that it goes on already. */
import { explained } from './explained.ts';

export async function orUndo<T>(act: () => Promise<T>, undo: () => void): Promise<T> {
  try {
    return await act();
  } catch (error) {
    undo();
    throw explained(error);
  }
}
