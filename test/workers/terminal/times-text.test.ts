import type { PhaseOutcome, PipelineResult } from '../../../workflows/contract.ts';
import { timesText } from '../../../workers/terminal/times-text.ts';

function ended(phase: string, wall: number, trainer: Record<string, number>): PipelineResult['promoted'][number] {
  const checkpoint = { id: 'c', path: '/store/c', format: 'hf', base: null, step: 1, digest: null } as const;
  const outcome: PhaseOutcome = {
    state: 'completed',
    checkpoint,
    because: '',
    score: null,
    seconds: { wall, trainer },
  };
  return { phase, outcome };
}

test('where the time of each phase went, and of all', () => {
  const text = timesText({
    promoted: [
      ended('base', 20, { starting: 8, loading: 1, training: 6, saving: 0.5, finishing: 0.5 }),
      ended('drgrpo', 40, { starting: 9, generating: 10, training: 5, publishing: 1 }),
      ended('sft', 0.2, {}),
    ],
  });
  expect(text.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
    'Where the 60 s went:',
    'phase | wall | imports and loading | training | saving | evaluation, gate and hand-over',
    'base | 20.0 s | 9.0 s | 6.0 s | 1.0 s | 4.0 s',
    'drgrpo | 40.0 s | 9.0 s | 15.0 s | 1.0 s | 15.0 s',
    'sft | 0.2 s | 0.0 s | 0.0 s | 0.0 s | 0.2 s',
  ]);
});

test('a trainer that counts more than the wall leaves nothing below zero', () => {
  expect(timesText({ promoted: [ended('sft', 1, { training: 2 })] })).toMatch(/ 0\.0 s$/);
});
