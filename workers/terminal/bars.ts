/**
 * Shows the phases of a pipeline as they go: one bar a phase on a terminal, plain lines elsewhere.
 *
 * Covers text. Does not cover where the numbers come from (read-phases.ts).
 */
import { doingOf, type PhaseView } from './phase-view.ts';
import { printable, printableLines } from './printable.ts';

export interface Screen {
  show(phases: readonly PhaseView[], now: Date): void;
  /** A line that stays above the bars. */
  say(line: string): void;
  /** Leaves the bars as they are: what is said from now on stands below them. */
  leave(): void;
}

export interface ScreenOptions {
  readonly write: (text: string) => void;
  readonly isTerminal: boolean;
  readonly columns: () => number;
}

export function createScreen(options: ScreenOptions): Screen {
  return options.isTerminal ? barScreen(options) : lineScreen(options);
}

const barWidth = 24;

function barScreen({ write, columns }: ScreenOptions): Screen {
  let bars: readonly string[] = [];
  const startedAt = new Map<string, StepSeen>();
  // To the first column too: a terminal shows Ctrl-C as ^C where the cursor stands.
  const clear = () => (bars.length > 0 ? `\r\u001b[${String(bars.length)}A\u001b[J` : '');
  const draw = () => bars.map((bar) => `${bar}\n`).join('');
  return {
    show(phases, now) {
      const before = clear();
      bars = phases.map((phase) => cut(barLine(phase, secondsLeft(phase, startedAt, now)), columns() - 1));
      write(`${before}${draw()}`);
    },
    say(line) {
      write(`${clear()}${printableLines(line)}\n${draw()}`);
    },
    leave() {
      bars = [];
    },
  };
}

function barLine(phase: PhaseView, left: number | null): string {
  const { step, of } = progressOf(phase);
  const share =
    phase.state === 'completed' || phase.state === 'reused' || phase.state === 'rejected' ? 1 : of > 0 ? step / of : 0;
  // A foreign trainer may say more steps than it was asked for.
  const full = Math.round(Math.min(1, share) * barWidth);
  const bar = `${'█'.repeat(full)}${'·'.repeat(barWidth - full)}`;
  return `${phase.phase.padEnd(8)} ${bar} ${phase.state.padEnd(10)} ${numbersOf(phase)}${left === null ? '' : `  about ${duration(left)} left`}`;
}

/** Only what changed: a phase's state or attempt, and each quarter of its steps. */
function lineScreen({ write }: ScreenOptions): Screen {
  const said = new Map<string, string>();
  return {
    show(phases) {
      for (const phase of phases) {
        const { step, of } = progressOf(phase);
        const quarter = of > 0 ? Math.floor((4 * step) / of) : 0;
        const key = `${phase.state} ${String(phase.attempt)} ${String(quarter)}`;
        if (phase.state === 'waiting' || said.get(phase.phase) === key) continue;
        said.set(phase.phase, key);
        write(`${phase.phase}: ${phase.state}${numbersOf(phase) === '' ? '' : `, ${numbersOf(phase)}`}\n`);
      }
    },
    say(line) {
      write(`${printableLines(line)}\n`);
    },
    leave: () => undefined,
  };
}

function progressOf(phase: PhaseView): { step: number; of: number } {
  return phase.job && phase.job.of > 0 ? phase.job : phase;
}

function numbersOf(phase: PhaseView): string {
  const { step, of } = progressOf(phase);
  const metric = phase.job?.reward ?? phase.job?.loss ?? null;
  const name = metric === phase.job?.reward ? 'reward' : 'loss';
  const parts = [
    phase.attempt > 0 ? `attempt ${String(phase.attempt)}` : '',
    of > 0 && phase.state === 'running' ? `${String(step)}/${String(of)}` : '',
    phase.state === 'running' ? doingOf(phase) : '',
    metric === null ? '' : `${name} ${metric.toFixed(3)}`,
    phase.score === null ? '' : `score ${phase.score.toFixed(3)}`,
    phase.state === 'running' || phase.note === '' ? '' : phase.note,
  ];
  return printable(parts.filter((part) => part !== '').join('  '));
}

interface StepSeen {
  readonly attempt: number;
  readonly step: number;
  readonly at: number;
}

/** Seconds left at the pace since the attempt's first step was seen; null while nothing can be said. */
function secondsLeft(phase: PhaseView, seen: Map<string, StepSeen>, now: Date): number | null {
  const { step, of } = progressOf(phase);
  if (phase.state !== 'running' || step === 0) return null;
  const first = seen.get(phase.phase);
  if (first?.attempt !== phase.attempt) {
    seen.set(phase.phase, { attempt: phase.attempt, step, at: now.getTime() });
    return null;
  }
  const stepsDone = step - first.step;
  return stepsDone > 0 ? ((of - step) * (now.getTime() - first.at)) / 1000 / stepsDone : null;
}

export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${String(whole)} s` : `${String(Math.floor(whole / 60))} min ${String(whole % 60)} s`;
}

function cut(text: string, columns: number): string {
  return text.length <= columns ? text : `${text.slice(0, Math.max(0, columns - 1))}…`;
}
