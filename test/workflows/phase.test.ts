/** A phase that does not go straight: failures, holds, releases, gates, evaluations. */
import { ApplicationFailure } from '@temporalio/common';
import type { EvaluationKey } from '../../decisions/evaluation.ts';
import type { PhaseContext } from '../../workflows/contract.ts';
import { leastPhases, recipeOf } from '../support/recipes.ts';
import {
  checkpointOf,
  completed,
  evaluatedSft,
  isBase,
  judged,
  promotes,
  runsOn,
  ticketOf,
} from '../support/stories.ts';
import {
  failureOf,
  pageOf,
  refusalOf,
  type Run,
  statusOf,
  untilState,
  benchOfFile,
} from '../support/workflow-bench.ts';

const bench = benchOfFile();

const missing = (context: PhaseContext, seed = 2): EvaluationKey[] => [
  { checkpoint: checkpointOf(context, 50).id, benchmark: 'addition', version: 1, seed },
];
const verdict = (kind: 'hold' | 'reject', sentence: string) => Promise.resolve({ kind, sentence, rows: [] });
const release = (run: Run, input: object = {}) => run.executeUpdate<string, [object]>('release', { args: [input] });

async function eventsOf(workflowId: string) {
  return (await bench.client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
}

describe('a failed attempt', () => {
  test('is followed by the next one after its delay, which goes on from the checkpoint', async () => {
    const story = bench.tell('resume', recipeOf([]), {
      openAttempt: ({ context, opened }) => Promise.resolve(ticketOf(context, opened, opened === 1 ? 0 : 20)),
      judgeAttempt: (_, times) => Promise.resolve(times === 1 ? judged('resume', { delaySeconds: 1 }) : completed),
    });
    const run = await bench.start(story);
    await run.result();
    expect(story.inputsOf('openAttempt')).toMatchObject([{ opened: 1 }, { opened: 2 }]);
    expect(await statusOf(run)).toMatchObject([{ state: 'completed', attempt: 2 }]);
    const timers = (await eventsOf('resume/base')).flatMap(({ timerStartedEventAttributes: timer }) => timer ?? []);
    expect(timers.map(({ startToFireTimeout }) => Number(startToFireTimeout?.seconds))).toEqual([1]);
    expect(await pageOf(bench.client, 'resume/base')).toContain('- Goes on from step 20.');
  });

  test.each([
    { kind: 'stalled', because: 'no progress for 900 s', reason: 'stalled' },
    { kind: 'lost', because: 'node n1 does not answer any more', reason: 'node-lost' },
    { kind: 'evicted', as: 'preempted', because: 'its queue took its place away', reason: 'preempted' },
  ] as const)('that is $kind is stopped first, and judged after', async ({ reason, ...event }) => {
    const story = bench.tell(event.kind, recipeOf([]), {
      awaitJob: (_, times) => Promise.resolve(times === 1 ? event : { kind: 'ended' }),
      judgeAttempt: (_, times) => Promise.resolve(times === 1 ? judged('restart') : completed),
    });
    await (await bench.start(story)).result();
    expect(story.inputsOf('stopJob')).toMatchObject([{ reason, job: { name: 't-base-a1' } }]);
    expect(story.inputsOf('submitJob').map(({ ticket }) => ticket.number)).toEqual([1, 2]);
  });

  test('that could not start says what it waits for meanwhile, is judged with that, and the next one says when it runs', async () => {
    const wait = { for: 'mount', reason: 'no export', seconds: 601, node: 'gpu-7' } as const;
    const waits = { kind: 'waits', for: 'mount', sentence: 'waits for its volumes (no export)' } as const;
    const runs = { kind: 'waits', for: 'none', sentence: 'attempt 2 runs' } as const;
    const events = [
      waits,
      { kind: 'waited', because: 'It waited.', wait } as const,
      waits,
      runs,
      { kind: 'ended' } as const,
    ];
    const story = bench.tell('unmounted', recipeOf([]), {
      awaitJob: (_, times) => Promise.resolve(events[times - 1] ?? { kind: 'ended' }),
      judgeAttempt: ({ waited }) => Promise.resolve(waited ? judged('wait', { delaySeconds: 1 }) : completed),
    });
    const run = await bench.start(story);
    await run.result();
    expect(story.inputsOf('awaitJob').map(({ toldWait }) => toldWait)).toEqual([
      'none',
      'mount',
      'none',
      'mount',
      'none',
    ]);
    expect(story.inputsOf('stopJob')).toMatchObject([{ reason: 'waited', job: { name: 't-base-a1' } }]);
    expect(story.inputsOf('judgeAttempt').map(({ waited }) => waited)).toEqual([wait, undefined]);
    const page = await pageOf(bench.client, 'unmounted/base');
    for (const sentence of [waits.sentence, runs.sentence]) expect(page).toContain(sentence);
  });

  test('whose waits come and go is not told of without end, but that it runs', async () => {
    const story = bench.tell('restless', recipeOf([]), {
      awaitJob: ({ toldWait, toldEnough }) => {
        if (toldWait === undefined) return Promise.resolve({ kind: 'ended' });
        if (toldEnough) return Promise.resolve({ kind: 'waits', for: 'none', sentence: 'attempt 1 runs' });
        return Promise.resolve({ kind: 'waits', for: toldWait === 'mount' ? 'sandbox' : 'mount', sentence: 'waits' });
      },
    });
    await (await bench.start(story)).result();
    expect(story.inputsOf('awaitJob').length).toBeLessThan(25);
    const page = await pageOf(bench.client, 'restless/base');
    expect(page.lastIndexOf('attempt 1 runs')).toBeGreaterThan(page.lastIndexOf('- waits'));
  });

  test('tells each due checkpoint once, over all events of its job', async () => {
    const story = bench.tell('seen', recipeOf([evaluatedSft]));
    await (await bench.start(story)).result();
    const seen = story.inputsOf('awaitJob').filter(({ ticket }) => ticket.title === 'sft');
    expect(seen.map(({ seenSteps }) => seenSteps)).toEqual([[], [20], [20, 40], [20, 40, 50]]);
  });
});

describe('a hold', () => {
  const holding = (pipelineId: string) =>
    bench.tell(pipelineId, recipeOf([]), {
      judgeAttempt: (_, times) => Promise.resolve(times === 1 ? judged('hold') : completed),
    });

  test('waits for a person, whose release lets it go on', async () => {
    const story = holding('held');
    const run = await bench.start(story);
    expect(await untilState(run, 'base', 'held')).toMatchObject({ note: 'held: attempt 1 failed. hold.' });
    expect(story.inputsOf('closePhase')).toMatchObject([{ state: 'held', because: 'attempt 1 failed. hold.' }]);
    expect(await release(run, { phase: 'base', by: 'ann', reason: 'the disk is larger now' })).toBe(
      'phase base goes on',
    );
    await run.result();
    expect(story.inputsOf('recordRelease')).toHaveLength(1);
    expect(story.inputsOf('openAttempt').map(({ opened }) => opened)).toEqual([1, 2]);
    expect(await pageOf(bench.client, 'held/base')).toContain('- released by ann: the disk is larger now');
  });

  test('refuses what it is not meant for, with the reason', async () => {
    const story = holding('refuses');
    const run = await bench.start(story);
    await untilState(run, 'base', 'held');
    expect(await refusalOf(release(run, { phase: 'sft' }))).toBe('phase "sft" is not held; held: base');
    expect(await refusalOf(run.executeUpdate('relaese'))).toMatch(/relaese/);
    expect(await release(run)).toBe('phase base goes on');
    await run.result();
  });

  test('is over once it is released: a second release has nothing to release', async () => {
    const story = bench.tell('twice', recipeOf([]), {
      judgeAttempt: (_, times) => Promise.resolve(times === 1 ? judged('hold') : completed),
      awaitJob: (_, times) => (times === 1 ? Promise.resolve({ kind: 'ended' }) : runsOn()),
    });
    const run = await bench.start(story);
    await untilState(run, 'base', 'held');
    await release(run);
    await untilState(run, 'base', 'running');
    expect(await refusalOf(release(run))).toBe('no phase is held now');
    await run.cancel();
    await failureOf(run);
  });

  test('that nobody releases within 24 hours fails', async () => {
    const run = await bench.start(holding('nobody'));
    expect(await failureOf(run)).toEqual({
      type: 'PhaseFailed',
      message: 'Phase base failed: attempt 1 failed. hold.; held for 24 hours and nobody released it',
    });
  });

  test('is a failure where the recipe says so', async () => {
    const story = bench.tell('fails-at-once', recipeOf([], { onFailure: 'fail' }), {
      judgeAttempt: () => Promise.resolve(judged('hold')),
    });
    expect((await failureOf(await bench.start(story))).message).toBe('Phase base failed: attempt 1 failed. hold.');
    expect(story.inputsOf('closePhase').map(({ state }) => state)).toEqual(['failed']);
  });
});

describe('the gate', () => {
  test('that asks for more evaluations gets exactly those, and is asked again', async () => {
    const story = bench.tell('more', recipeOf([evaluatedSft]), {
      judgeGate: ({ context }, times) =>
        Promise.resolve(
          isBase(context) || times > 2
            ? promotes(context)
            : { kind: 'more-evaluations', sentence: '1 evaluation more.', rows: [], missing: missing(context) },
        ),
    });
    const run = await bench.start(story);
    await run.result();
    expect(story.inputsOf('openEvaluation').at(-1)).toMatchObject({
      title: 'sft: 1 evaluation for the gate',
      evaluations: [{ checkpoint: 'more/sft/a1/checkpoint-50', seed: 2 }],
    });
    expect(story.inputsOf('promote').map(({ checkpoint }) => checkpoint.step)).toEqual([0, 50]);
  });

  test('that rejects keeps the parent: the next phase starts from it', async () => {
    const recipe = recipeOf([{ ...evaluatedSft, onReject: 'keep-parent' }, leastPhases.orpo]);
    const story = bench.tell('keeps', recipe, {
      judgeGate: ({ context }) =>
        context.phase.name === 'sft' ? verdict('reject', 'Rejected: none passed.') : Promise.resolve(promotes(context)),
    });
    const run = await bench.start(story);
    const { promoted } = await run.result();
    expect(promoted[1]?.outcome).toMatchObject({
      state: 'rejected',
      because: 'Rejected: none passed.',
      checkpoint: { id: 'keeps/base/a1/checkpoint-0' },
    });
    expect(story.inputsOf('openAttempt').at(-1)?.context.start?.id).toBe('keeps/base/a1/checkpoint-0');
    expect(story.inputsOf('closePhase')).toMatchObject([
      { state: 'rejected', checkpoint: { id: 'keeps/base/a1/checkpoint-0' } },
    ]);
  });

  test.each([
    { id: 'reject-fail', phases: [{ ...evaluatedSft, onReject: 'fail' }], failing: 'sft' },
    { id: 'reject-base', phases: [], failing: 'base' },
  ])(
    'that rejects fails where there is no parent to keep, or the recipe says so: $id',
    async ({ id, phases, failing }) => {
      const story = bench.tell(id, recipeOf(phases), {
        judgeGate: ({ context }) =>
          context.phase.name === failing
            ? verdict('reject', 'Rejected: none passed.')
            : Promise.resolve(promotes(context)),
      });
      const failure = await failureOf(await bench.start(story));
      expect(failure).toEqual({ type: 'PhaseFailed', message: `Phase ${failing} failed: Rejected: none passed.` });
    },
  );

  test.each([
    { id: 'gate-holds', kind: 'hold', phase: evaluatedSft },
    { id: 'reject-holds', kind: 'reject', phase: { ...evaluatedSft, onReject: 'hold' } },
  ] as const)('that waits for a person is asked again after a release: $id', async ({ id, kind, phase }) => {
    const story = bench.tell(id, recipeOf([phase]), {
      judgeGate: ({ context }, times) =>
        isBase(context) || times > 2 ? Promise.resolve(promotes(context)) : verdict(kind, 'a person must look.'),
    });
    const run = await bench.start(story);
    await untilState(run, 'sft', 'held');
    await release(run);
    expect((await run.result()).promoted[1]?.outcome.state).toBe('completed');
  });
});

test('a checkpoint that cannot be promoted is held, with its training, until a person has mended it', async () => {
  const damaged = ApplicationFailure.nonRetryable('its seal does not agree with its files', 'checkpoint-damaged');
  const story = bench.tell('damaged', recipeOf([evaluatedSft]), {
    promote: ({ context, checkpoint }, times) =>
      isBase(context) || times > 2 ? Promise.resolve({ ...checkpoint, digest: 'd' }) : Promise.reject(damaged),
  });
  const run = await bench.start(story);
  expect((await untilState(run, 'sft', 'held')).note).toBe('held: its seal does not agree with its files');
  await release(run);
  expect((await run.result()).promoted[1]?.outcome.state).toBe('completed');
  expect(story.inputsOf('openAttempt')).toHaveLength(2);
});

describe('an evaluation', () => {
  test('that fails is tried again, and the gate waits for it', async () => {
    const story = bench.tell('again', recipeOf([{ ...evaluatedSft, evaluate: { benchmarks: ['addition'] } }]), {
      judgeEvaluation: (_, times) =>
        Promise.resolve({ kind: times === 1 ? 'again' : 'completed', sentence: 'killed', delaySeconds: 0 }),
    });
    await (await bench.start(story)).result();
    expect(story.inputsOf('openEvaluation').map(({ opened }) => opened)).toEqual([1, 2]);
    expect(story.inputsOf('judgeEvaluation').map(({ attempts }) => attempts)).toEqual([[1], [1, 2]]);
  });

  test('that cannot be made beside the training does not end it; for the gate it is held', async () => {
    const story = bench.tell(
      'evaluation-fails',
      recipeOf([{ ...evaluatedSft, evaluate: { benchmarks: ['addition'] } }]),
      {
        judgeEvaluation: (_, times) =>
          Promise.resolve({ kind: times <= 2 ? 'fail' : 'completed', sentence: 'no such file', delaySeconds: 0 }),
        judgeGate: ({ context }, times) =>
          Promise.resolve(
            isBase(context) || times > 3
              ? promotes(context)
              : { kind: 'more-evaluations', sentence: '1 missing.', rows: [], missing: missing(context, 1) },
          ),
      },
    );
    const run = await bench.start(story);
    expect((await untilState(run, 'sft', 'held')).note).toBe('held: evaluations failed: no such file');
    expect(await pageOf(bench.client, 'evaluation-fails/sft')).toContain(
      '- evaluations failed: no such file; the gate asks again for what it needs',
    );
    await release(run);
    expect((await run.result()).promoted).toHaveLength(2);
  });

  test('makes no job where the ledger has all of them', async () => {
    const story = bench.tell('all-there', recipeOf([evaluatedSft]), { openEvaluation: () => Promise.resolve(null) });
    await (await bench.start(story)).result();
    expect(story.inputsOf('submitJob').map(({ ticket }) => ticket.purpose)).toEqual(['train', 'train']);
  });
});
