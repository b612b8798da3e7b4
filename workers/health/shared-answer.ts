/** Who asks while an answer is on its way gets the same one: however many ask, one question is open. */
export function sharedAnswer<T>(ask: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  return () => (underWay ??= ask().finally(() => (underWay = null)));
}
