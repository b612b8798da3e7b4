/** What a trainer leaves in its attempt directory, written file by file as docs/reference/trainer-contract.md says. */
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Doing } from '../../decisions/states.ts';
import { computeSeal, writeSeal } from '../../store/seal.ts';
import { cut, peftFiles, write } from '../store/checkpoint-fixtures.ts';
import type { StartedAttempt } from './activity-bench.ts';

export interface FakeTrainer {
  says(step: number, doing: Doing, metrics?: Readonly<Record<string, number | null>>): Promise<void>;
  /** A sealed, resumable checkpoint; returns its path. */
  saves(step: number): Promise<string>;
  /** A checkpoint whose weights were cut off. */
  tears(step: number): Promise<void>;
  /** `result.json` of an attempt that did all it was asked, with these fields changed. */
  finishes(change?: Readonly<Record<string, unknown>>): Promise<void>;
  /** The rows of an evaluation: for each problem, which samples were right. */
  evaluates(output: string, problems: Readonly<Record<string, readonly boolean[]>>): Promise<void>;
  /** So many problems of an evaluation that does not become whole. */
  keeps(output: string, problems: number): Promise<void>;
}

export function fakeTrainer({ ticket, job }: StartedAttempt): FakeTrainer {
  const at = (...parts: string[]) => join(ticket.directory, ...parts);
  const saved = (step: number) => write(at('checkpoints', `checkpoint-${String(step)}`), peftFiles(step));
  return {
    async says(step, doing, metrics = { loss: 0.5 }) {
      const line = { time: '2026-11-29T10:00:00.000Z', step, of: ticket.of, doing, metrics };
      await appendFile(at('progress.jsonl'), `${JSON.stringify(line)}\n`);
    },
    async saves(step) {
      const path = await saved(step);
      await writeSeal(path, await computeSeal(path, { step, format: 'peft' }));
      return path;
    },
    async tears(step) {
      await cut(join(await saved(step), 'adapter_model.safetensors'));
    },
    async finishes(change = {}) {
      const { asked } = ticket;
      const digest = (asked.resume ?? asked.start)?.digest ?? null;
      const result = {
        contract: 1,
        status: 'completed',
        job: job.name,
        attempt: ticket.number,
        jobToken: job.uid,
        startStep: ticket.resumeStep,
        finalStep: ticket.of,
        startedFrom: digest === null ? null : { path: '/store/start', digest },
        weightsBefore: 'before',
        weightsAfter: 'after',
        artifacts: [],
        metrics: { loss: 0.2 },
        finite: true,
        seconds: { training: 6 },
        ...change,
      };
      await writeFile(at('result.json'), JSON.stringify(result));
    },
    async evaluates(output, problems) {
      const rows = Object.entries(problems).flatMap(([problem, samples]) =>
        samples.map((correct, sample) => ({
          problem,
          sample,
          correct,
          answer: correct ? 'right' : null,
          tokens: 10,
          truncated: false,
          seconds: 0.1,
        })),
      );
      await mkdir(dirname(at(output)), { recursive: true });
      await writeFile(at(output), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    },
    async keeps(output, problems) {
      await mkdir(dirname(at(output)), { recursive: true });
      await writeFile(at(`${output}.part`), '{"problem": "1+1"}\n'.repeat(problems));
    },
  };
}
