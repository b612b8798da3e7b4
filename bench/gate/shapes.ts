/**
 * The selections of four published pipelines as shapes: how many problems and samples a run has, and how good candidates and parent are.
 *
 * The published scores stand for the true ones; each draw moves every one by chance (`jitter`), so that no arrangement decides alone.
 */

export interface Shape {
  readonly name: string;
  readonly problems: number;
  /** Samples of each problem in one run. */
  readonly samples: number;
  readonly parent: number;
  readonly candidates: readonly number[];
}

/** Standard deviation of what a draw adds to each true score, as a share. */
export const jitter = 0.01;

export const shapes: readonly Shape[] = [
  // AIME 2025 of asynchronous RL, steps 20 to 99.
  { name: 'SAO', problems: 30, samples: 8, parent: 0.804, candidates: [0.829, 0.833, 0.842, 0.838, 0.825] },
  // AIME 2025 of a GRPO run that collapses, steps 20 to 140.
  {
    name: 'GRPO',
    problems: 30,
    samples: 8,
    parent: 0.804,
    candidates: [0.833, 0.825, 0.788, 0.742, 0.458, 0.246, 0.096],
  },
  // Val-50 of behavioural SFT: v08a to v08d, v11a, v11c.
  { name: 'behavioural SFT', problems: 50, samples: 1, parent: 0.64, candidates: [0.64, 0.62, 0.6, 0.62, 0.66, 0.62] },
  // 285 problems, 16 samples: SFT after 2, 5 and 10 epochs, and RL.
  { name: 'full-parameter', problems: 285, samples: 16, parent: 0.7261, candidates: [0.686, 0.7088, 0.7338, 0.7361] },
  // Hard-50 of five ORPO variants; their parent is not told: the 53 % of the base on its pool.
  { name: 'four-phase', problems: 50, samples: 1, parent: 0.53, candidates: [0.63, 0.506, 0.56, 0.57, 0.54] },
];
