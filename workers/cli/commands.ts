/** Every command with one line of what it does; its file is loaded when it is needed. */
import type { CommandEntry } from './command-entry.ts';

export const commands: readonly CommandEntry[] = [
  {
    name: 'up',
    summary: 'a Temporal server with its UI and a worker on this machine, until Ctrl-C',
    load: async () => (await import('./up.ts')).up(),
  },
  {
    name: 'worker',
    summary: 'a worker for a Temporal server that is there already',
    load: async () => (await import('./worker.ts')).worker(),
  },
  {
    name: 'validate',
    summary: 'everything that is wrong in recipes and profiles, with lines',
    load: async () => (await import('./validate.ts')).validate(),
  },
  {
    name: 'plan',
    summary: 'what a recipe would run and what it would reuse, and why',
    load: async () => (await import('./plan.ts')).plan(),
  },
  {
    name: 'render',
    summary: 'the Kubernetes manifests of every phase, without a cluster',
    load: async () => (await import('./render.ts')).render(),
  },
  {
    name: 'doctor',
    summary: 'what a recipe lacks on a profile, before anything is spent',
    load: async () => (await import('./doctor.ts')).doctor(),
  },
  {
    name: 'start',
    summary: 'start a pipeline',
    load: async () => (await import('./start.ts')).start(),
  },
  {
    name: 'status',
    summary: 'where a pipeline stands; without a name, the newest pipelines',
    load: async () => (await import('./status.ts')).status(),
  },
  {
    name: 'logs',
    summary: "the end of a job's log",
    load: async () => (await import('./logs.ts')).logs(),
  },
  {
    name: 'cancel',
    summary: 'stop a pipeline; its trainers save first',
    load: async () => (await import('./cancel.ts')).cancel(),
  },
  {
    name: 'hold',
    summary: 'stop the phase that runs with a save, and hold it',
    load: async () => (await import('./hold.ts')).hold(),
  },
  {
    name: 'release',
    summary: 'let a held phase go on',
    load: async () => (await import('./release.ts')).release(),
  },
  {
    name: 'retry-phase',
    summary: 'a held phase begins anew, with other parameters',
    load: async () => (await import('./retry-phase.ts')).retryPhase(),
  },
  {
    name: 'skip-phase',
    summary: 'end a phase that is held or has not begun',
    load: async () => (await import('./skip-phase.ts')).skipPhase(),
  },
  {
    name: 'promote',
    summary: 'end a held phase with a checkpoint that you name',
    load: async () => (await import('./promote.ts')).promote(),
  },
  {
    name: 'extend-budget',
    summary: 'raise what a pipeline that runs may spend',
    load: async () => (await import('./extend-budget.ts')).extendBudget(),
  },
  {
    name: 'leaderboard',
    summary: 'every evaluated checkpoint with its interval and verdict',
    load: async () => (await import('./leaderboard.ts')).leaderboard(),
  },
  {
    name: 'compare',
    summary: 'two checkpoints on the same problems: the difference, and what moved',
    load: async () => (await import('./compare.ts')).compare(),
  },
  {
    name: 'record-score',
    summary: 'bring a score from outside, such as a public leaderboard',
    load: async () => (await import('./record-score.ts')).recordScore(),
  },
  {
    name: 'import-eval',
    summary: 'bring results of lm-eval, lighteval or NeMo-Skills',
    load: async () => (await import('./import-eval.ts')).importEval(),
  },
  {
    name: 'withdraw',
    summary: 'take back an import or a score from outside',
    load: async () => (await import('./withdraw.ts')).withdraw(),
  },
  {
    name: 'explain',
    summary: 'every incident, decision and verdict in sentences',
    load: async () => (await import('./explain.ts')).explain(),
  },
  {
    name: 'lineage',
    summary: 'what a checkpoint was made from, back to its base',
    load: async () => (await import('./lineage.ts')).lineage(),
  },
  {
    name: 'prune',
    summary: 'which checkpoints may go, and with --yes deletes them',
    load: async () => (await import('./prune.ts')).prune(),
  },
  {
    name: 'pin',
    summary: 'keep a checkpoint from every pruning',
    load: async () => (await import('./pin.ts')).pin(),
  },
  {
    name: 'unpin',
    summary: 'let a checkpoint be pruned again',
    load: async () => (await import('./pin.ts')).unpin(),
  },
  {
    name: 'reap',
    summary: 'which jobs run for nobody, and with --yes stops them',
    load: async () => (await import('./reap.ts')).reap(),
  },
  {
    name: 'nodes',
    summary: 'which nodes jobs keep away from and why, and how to trust one again',
    load: async () => (await import('./nodes.ts')).nodes(),
  },
  {
    name: 'schedule',
    summary: 'nightly sweeps: apply a file, list, pause, trigger, backfill, delete',
    load: async () => (await import('./schedule.ts')).schedule(),
  },
  {
    name: 'link',
    summary: "the address of a pipeline's page, or of the start form filled with an example",
    load: async () => (await import('./link.ts')).link(),
  },
  {
    name: 'completion',
    summary: 'completion of commands and options for bash, zsh or fish',
    load: async () => (await import('./completion.ts')).completion(commands),
  },
];
