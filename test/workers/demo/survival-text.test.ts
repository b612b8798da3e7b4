import type { AttemptOfRun, PhaseOfRun } from '../../../workers/demo/attempts-of-run.ts';
import { brokenPromises, type Survival, survivalText } from '../../../workers/demo/survival-text.ts';

const attempt = (number: number, change: Partial<AttemptOfRun> = {}): AttemptOfRun => ({
  number,
  state: 'completed',
  fromStep: 0,
  toStep: 50,
  cause: null,
  secondsLost: 0,
  ...change,
});
const killed = attempt(1, {
  state: 'failed',
  toStep: 27,
  cause: 'killed: rank 0 was ended by SIGKILL.',
  secondsLost: 0.4,
});
const resumed = attempt(2, { fromStep: 25 });
const phase = (change: Partial<PhaseOfRun> = {}): PhaseOfRun => ({
  phase: 'sft',
  attempts: [killed, resumed],
  stepsTrained: 52,
  stepsNeeded: 50,
  checkpointEvery: 5,
  ...change,
});
const same = { files: ['adapter_model.safetensors', 'optimizer.pt'], different: [] };
const survival = (change: Partial<Survival> = {}): Survival => ({
  phases: [phase()],
  kills: [{ phase: 'sft', step: 26 }],
  comparisons: new Map([['sft', same]]),
  ...change,
});

test('shows each attempt, its cause, the step it went on from and the work lost; and what the last checkpoint is', () => {
  expect(survivalText(survival())).toBe(
    [
      'phase  attempt  went on from  came to  work lost  how it ended',
      '─────  ───────  ────────────  ───────  ─────────  ────────────────────────────────────',
      'sft          1     its start  step 27      0.4 s  killed: rank 0 was ended by SIGKILL.',
      'sft          2       step 25  step 50      0.0 s  completed',
      '',
      'sft      50 steps, 2 of them trained twice; its last checkpoint is that of the undisturbed run, byte for byte (adapter_model.safetensors, optimizer.pt)',
    ].join('\n'),
  );
});

test.each<{ title: string; of: Survival; want: readonly string[] }>([
  { title: 'a run that kept them all', of: survival(), want: [] },
  { title: 'nothing to compare with is no broken promise', of: survival({ comparisons: null }), want: [] },
  {
    title: 'an attempt that began again at the start',
    of: survival({ phases: [phase({ attempts: [killed, attempt(2)] })] }),
    want: ["sft: attempt 2 began at the phase's start again"],
  },
  {
    title: 'a phase that trains nothing has no step to go on from',
    of: survival({
      phases: [phase({ attempts: [killed, attempt(2)], stepsTrained: 0, stepsNeeded: 0, checkpointEvery: null })],
    }),
    want: [],
  },
  {
    title: 'more steps trained twice than a checkpoint interval a kill',
    of: survival({ phases: [phase({ stepsTrained: 56 })] }),
    want: ['sft: 6 steps were trained twice after 1 kills, and a checkpoint comes every 5'],
  },
  {
    title: 'a step trained twice without any kill',
    of: survival({ phases: [phase({ attempts: [attempt(1)], stepsTrained: 51 })], kills: [] }),
    want: ['sft: 1 steps were trained twice after 0 kills, and a checkpoint comes every 5'],
  },
  {
    title: 'other bytes',
    of: survival({ comparisons: new Map([['sft', { ...same, different: ['optimizer.pt'] }]]) }),
    want: ['sft: its last checkpoint is not that of the undisturbed run'],
  },
  {
    title: 'a phase that the undisturbed run has not',
    of: survival({ comparisons: new Map() }),
    want: ['sft: there is no last checkpoint to compare'],
  },
])('promises: $title', ({ of, want }) => {
  expect(brokenPromises(of)).toEqual(want);
});
