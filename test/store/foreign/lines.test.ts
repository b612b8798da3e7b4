/** What the readers make of lines that were recorded of real logs (the Hugging Face Trainer), or written as the sources print them. */
import { hfTrainerLines } from '../../../store/foreign/hf-trainer-lines.ts';
import type { LineReader } from '../../../store/foreign/line-reader.ts';
import { megatronLines } from '../../../store/foreign/megatron-lines.ts';
import { patternLines } from '../../../store/foreign/pattern-lines.ts';
import { slimeLines } from '../../../store/foreign/slime-lines.ts';

const read = (reader: LineReader, lines: readonly string[]) => lines.map(reader).filter((said) => said !== null);

describe('the Hugging Face Trainer', () => {
  test('steps come from its bar, numbers from the rows around it', () => {
    const said = read(hfTrainerLines(8), [
      'Loading weights: 100%|██████████| 8/8 [00:00<00:00, 3674.34it/s]',
      '  0%|          | 0/8 [00:00<?, ?it/s]/venv/torch/utils/data/dataloader.py:759: UserWarning: no accelerator',
      "{'loss': '1.799', 'grad_norm': '0.3932', 'learning_rate': '0.0025', 'epoch': '0.25'}",
      ' 62%|██████▎   | 5/8 [00:00<00:00, 162.91it/s]',
      "{'loss': '1.736', 'grad_norm': 'nan', 'learning_rate': '0.001875', 'epoch': '0.3'}",
      ' 62%|██████▎   | 5/8 [00:00<00:00, 162.91it/s]',
      ' 50%|█████     | 1/2 [00:00<00:00, 26.71it/s]',
      "{'train_runtime': '0.4337', 'train_loss': '1.787', 'epoch': '0.4'}",
      '100%|██████████| 8/8 [00:00<00:00, 79.52it/s]',
    ]);
    const numbers = { learning_rate: 0.0025, epoch: 0.25 };
    expect(said).toEqual([
      { kind: 'step', step: null, of: 8, metrics: { loss: 1.799, grad_norm: 0.3932, ...numbers } },
      { kind: 'step', step: 5, of: 8, metrics: {} },
      { kind: 'step', step: 5, of: 8, metrics: { loss: 1.736, grad_norm: null, learning_rate: 0.001875, epoch: 0.3 } },
      { kind: 'step', step: 8, of: 8, metrics: {} },
    ]);
  });

  test('the bar of ms-swift has a title, and those of other things have others', () => {
    const lines = [
      'Train:   2%|▏         | 12/620 [31:02<26:12:00, 155.1s/it]',
      'Map:   2%|▏         | 13/620 [00:02<01:00]',
    ];
    expect(read(hfTrainerLines(620), lines)).toEqual([{ kind: 'step', step: 12, of: 620, metrics: {} }]);
  });

  test('rows of ms-swift name their step', () => {
    const row = "{'loss': '0.61', 'grad_norm': '1.1', 'global_step/max_steps': '12/100', 'elapsed_time': '4s'}";
    expect(read(hfTrainerLines(100), [row])).toMatchObject([{ kind: 'step', step: 12, metrics: { loss: 0.61 } }]);
  });
});

test('Megatron-LM says which iteration it loaded, and each one that it made', () => {
  const said = read(megatronLines(), [
    '  successfully loaded checkpoint from /run/checkpoint-100 [ t 1/2, p 1/1 ] at iteration 100',
    ' [2026-11-29 10:00:00.000000] iteration      110/     400 | consumed samples:        28160 | elapsed time per iteration (ms): 1234.5 | learning rate: 8.000000E-06 | global batch size:   256 | lm loss: 1.234000E+00 | loss scale: 1.0 | grad norm: 0.512 | number of skipped iterations:   0 | number of nan iterations:   0 |',
    ' [2026-11-29 10:10:00.000000] iteration      120/     400 | lm loss: nan | grad norm: 0.5 |',
  ]);
  expect(said).toMatchObject([
    { kind: 'started', step: 100 },
    { kind: 'step', step: 110, of: 400, metrics: { loss: 1.234, grad_norm: 0.512, consumed_samples: 28160 } },
    { kind: 'step', step: 120, of: 400, metrics: { loss: null, grad_norm: 0.5 } },
  ]);
});

test('Megatron-LM that finds nothing to load starts at 0, which it says with a warning', () => {
  expect(read(megatronLines(), ['    will not load any checkpoints and will start from random'])).toEqual([
    { kind: 'started', step: 0 },
  ]);
});

test('steps of slime are its rollouts, as its checkpoints count them', () => {
  const said = read(slimeLines(), [
    "rollout 41: {'rollout/raw_reward': 0.6, 'rollout/response_len/mean': 812.0}",
    "step 82: {'train/loss': 0.01, 'train/grad_norm': 0.3, 'train/step': 82}",
  ]);
  expect(said).toEqual([{ kind: 'step', step: 41, of: null, metrics: { loss: 0.01, grad_norm: 0.3, step: 82 } }]);
});

describe('an own pattern', () => {
  test('names the step, how many there are, and metrics', () => {
    const reader = patternLines({
      pattern: String.raw`epoch \d+ step (?<step>\d+)/(?<of>\d+) loss=(?<loss>\S+)`,
      started: String.raw`resumed after step (?<step>\d+)`,
    });
    expect(
      read(reader, ['resumed after step 40', 'epoch 1 step 41/80 loss=0.5', 'epoch 1 step 42/80 loss=inf']),
    ).toEqual([
      { kind: 'started', step: 40 },
      { kind: 'step', step: 41, of: 80, metrics: { loss: 0.5 } },
      { kind: 'step', step: 42, of: 80, metrics: { loss: null } },
    ]);
  });

  test('takes linear time: what would hold a backtracking engine up for years is over at once', () => {
    const reader = patternLines({ pattern: String.raw`^(a+)+(?<step>\d+)$` });
    expect(reader(`${'a'.repeat(8000)}b`)).toBeNull();
  });
});

test('no line holds a worker up, whatever a trainer writes', () => {
  const lines = ["{'".repeat(4096), `${"{'".repeat(2048)}}${' '.repeat(4000)}x`, `{'loss': ${'1'.repeat(8000)}x}`];
  const many = Array.from({ length: 40 }, () => lines).flat();
  const began = process.cpuUsage();
  for (const reader of [hfTrainerLines(8), megatronLines(), slimeLines()]) read(reader, many);
  read(
    megatronLines(),
    many.map(() => ` iteration 3/ 8 | lm loss: ${'1'.repeat(8000)}x |`),
  );
  // What it computed, not what it waited for while others did.
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(3000);
});
