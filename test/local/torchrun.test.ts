/** A real torchrun of two processes on the CPU: of which one fails first, and the other is taken along. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { classify } from '../../decisions/classify.ts';
import { lastLinesOf } from '../../local/log-tail.ts';
import { readSettings } from '../../workers/settings.ts';
import { evidence } from '../support/builders.ts';

const script = `
import torch.distributed as dist, torch
dist.init_process_group("gloo")
dist.barrier()
if dist.get_rank() == 1:
    raise ValueError("no moon tonight")
for _ in range(100):
    dist.all_reduce(torch.ones(4))
`;

test('the process that raised is named with its own words, not the peer that lost it, nor the launcher', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'temper-torchrun-'));
  const { python } = readSettings(process.env);
  await writeFile(join(folder, 'train.py'), script);
  const log = await open(join(folder, 'log.txt'), 'a');
  const child = spawn(join(dirname(python), 'torchrun'), ['--standalone', '--nproc-per-node', '2', 'train.py'], {
    cwd: folder,
    env: { ...process.env, OMP_NUM_THREADS: '1' },
    stdio: ['ignore', log.fd, log.fd],
  });
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  await log.close();
  const lastLines = await lastLinesOf(join(folder, 'log.txt'));
  const verdict = classify(evidence().withoutResult().ranks({ exitCode, lastLines }).build());
  expect([exitCode, verdict]).toMatchObject([
    1,
    { kind: 'failed', class: 'unknown', rank: 1, rootCause: 'ValueError: no moon tonight' },
  ]);
  await rm(folder, { recursive: true });
}, 120_000);
