/** How a batch is made to fit: smaller pieces, more of them, the same global batch. Does not cover other memory (retry.ts). */

/** How a global batch is cut: `microBatch` × `accumulation`, per process. */
export interface BatchShape {
  readonly microBatch: number;
  readonly accumulation: number;
}

/**
 * The next rung: the micro-batch halved and the accumulation doubled (an odd one is divided by its smallest prime factor). The
 * product stays, and with it every divisibility of the global batch, such as by the generations per prompt. Null at the end.
 */
export function nextMemoryRung(shape: BatchShape): BatchShape | null {
  for (let factor = 2; factor <= shape.microBatch; factor += 1) {
    if (shape.microBatch % factor === 0) {
      return { microBatch: shape.microBatch / factor, accumulation: shape.accumulation * factor };
    }
  }
  return null;
}
