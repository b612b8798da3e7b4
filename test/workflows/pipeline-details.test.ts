import fc from 'fast-check';
import { profileSchema, recipeSchema } from '../../configs/schema.ts';
import { recipeOf } from '../support/recipes.ts';
import type { LeaderboardRow } from '../../decisions/leaderboard.ts';
import type { OutsideRow } from '../../decisions/outside-rows.ts';
import type { PhaseReport } from '../../workflows/contract.ts';
import { pipelineDetails, type PipelinePage } from '../../workflows/pipeline-details.ts';

const report = (phase: string, more: Partial<PhaseReport> = {}): PhaseReport => ({
  phase,
  kind: 'sft',
  state: 'running',
  attempt: 1,
  step: 3,
  of: 40,
  note: '',
  score: null,
  ...more,
});
const page = (phases: readonly PhaseReport[], more: Partial<PipelinePage> = {}): PipelinePage => ({
  namespace: 'default',
  workflowId: 'team/my-first',
  resolved: null,
  state: 'running',
  phases,
  candidates: [],
  ...more,
});

test('a phase that has something to say leads to its own page, below the table', () => {
  const details = pipelineDetails(page([report('sft', { note: 'goes on' }), report('orpo', { state: 'waiting' })]));
  expect(details).toContain('| sft\u2003 | running\u2003 | 1\u2003 | 3/40\u2003 | \u2003 |');
  expect(details).toMatch(/\n\n- \[sft\]\(namespaces\/default\/workflows\/team%2Fmy-first%2Fsft\): goes on$/);
});

test('a phase that is named otherwise than its kind names its kind', () => {
  const details = pipelineDetails(page([report('bake', { kind: 'mxfp4-merge', note: 'merged' })]));
  expect(details).toContain('(namespaces/default/workflows/team%2Fmy-first%2Fbake) (mxfp4-merge): merged');
});

test('a held phase says how to let it go on, for as long as the pipeline runs', () => {
  const until = 'until 2026-12-01 10:00 UTC, then it fails';
  const held = [report('sft', { state: 'held', note: 'held: why', held: until })];
  expect(pipelineDetails(page(held))).toContain(`**sft is held for a person**, ${until}. To go on: More Actions`);
  expect(pipelineDetails(page(held))).toContain('after a rejection `promote`, `skipPhase` or `retryPhase`');
  expect(pipelineDetails(page(held, { state: 'cancelled' }))).not.toContain('for a person');
});

test('what a person should look at stands above the table', () => {
  const recipe = recipeSchema.parse(recipeOf());
  const profile = profileSchema.parse({ name: 'local', backend: 'local' });
  const warnings = ['jobs.stf counts for no job; did you mean "sft"?'];
  const resolved = { recipe, profile, source: 'inline', changed: [], dataDigests: {}, warnings };
  expect(pipelineDetails(page([report('sft')], { resolved }))).toContain(
    'is **running**\n\n- warning: jobs.stf counts for no job; did you mean "sft"?\n\n| phase',
  );
});

describe('candidates', () => {
  const row = (step: number, more: Partial<LeaderboardRow> = {}): LeaderboardRow => ({
    phase: 'sft',
    checkpoint: `demo/sft/a1/checkpoint-${String(step)}`,
    step,
    benchmark: 'addition',
    version: 1,
    problems: 200,
    samples: 1600,
    seeds: 1,
    mean: 0.634,
    sdOverSeeds: null,
    low: 0.6,
    high: 0.66,
    passAtK: { k: 8, value: 0.9 },
    tokensPerSample: 17,
    truncatedShare: 0,
    seconds: 5,
    gain: null,
    verdict: 'promote',
    why: '',
    ...more,
  });

  test('stand between the phases and their notes, with what the gate said', () => {
    const rows = [row(25, { verdict: 'passed-over', problems: 150, lacking: 50, samples: 1200 }), row(50)];
    expect(pipelineDetails(page([report('sft', { note: 'goes on' })], { candidates: rows }))).toMatch(
      /\n\n\| candidate\u2003 \| n\u2003 [^]*\n\| sft 25\u2003 \| 150 of 200×8\u2003 \| 0\.634\u2003 \| 0\.600\u2060–\u20600\.660\u2003 \| not chosen\u2003 \|\n\| sft 50\u2003 .* promoted\u2003 \|\n\n- \[sft\]/,
    );
  });

  test('name the benchmark where there are several', () => {
    const rows = [row(50), row(50, { benchmark: 'aime' })];
    expect(pipelineDetails(page([report('sft')], { candidates: rows }))).toContain('| sft 50 on aime\u2003 |');
  });

  test('name the version where a benchmark has several', () => {
    const details = pipelineDetails(page([report('sft')], { candidates: [row(50), row(50, { version: 2 })] }));
    expect(details).toContain('| sft 50 on addition, version 1\u2003 |');
    expect(details).toContain('| sft 50 on addition, version 2\u2003 |');
  });

  test('scored from outside stand beside the others: runs, a place, a limit, each with its benchmark', () => {
    const told = (more: Partial<OutsideRow>): OutsideRow => ({
      ...{ phase: 'sft', step: 50, checkpoint: 'demo/sft/a1/checkpoint-50', benchmark: 'public', version: 1 },
      ...{ score: null, place: null, runtime: null, sources: [] },
      ...more,
    });
    const score = { mean: 0.8, low: 0.67, high: 0.888, runs: 2, problems: 50 };
    const candidates = [
      row(50),
      told({ score, place: 2 }),
      told({ benchmark: 'panel', place: 1, runtime: 253 }),
      told({ benchmark: 'limits', runtime: 'kept' }),
    ];
    const details = pipelineDetails(page([report('sft')], { candidates })).replaceAll(/[\u2003\u2060]/g, '');
    expect(details).toContain(
      [
        '| sft 50 on addition | 200×8 | 0.634 | 0.600–0.660 | promoted |',
        '| sft 50 on public | 50×2 | 0.800, place 2 | 0.670–0.888 | outside |',
        '| sft 50 on panel |  | place 1, 253 min |  | outside |',
        '| sft 50 on limits |  | limit kept |  | outside |',
      ].join('\n'),
    );
  });

  test('are the newest where there are many, and leave every phase its note, below 4 KB', () => {
    const rows = Array.from({ length: 300 }, (_, step) => row(step));
    const phases = Array.from({ length: 8 }, (_, index) =>
      report(`phase-${String(index)}`, { note: 'n'.repeat(3000) }),
    );
    const details = pipelineDetails(page(phases, { candidates: rows }));
    expect(Buffer.byteLength(details)).toBeLessThan(4096);
    expect(details).toMatch(/\| sft 299\u2003 [^]*\n\n… and \d+ more: `temper leaderboard`\n\n- \[phase-0\]/);
    expect(details).toContain('- [phase-7]');
  });

  test('those that a gate has judged stay where many more were imported', () => {
    const imported = Array.from({ length: 57 }, (_, at) =>
      row(50, { benchmark: `mmlu-${String(at)}`, verdict: 'none' }),
    );
    const details = pipelineDetails(
      page([report('sft')], {
        candidates: [row(25, { verdict: 'passed-over' }), row(50), ...imported],
        candidatesLeftOut: 14,
      }),
    );
    expect(details).toMatch(
      /\| sft 25 on addition\u2003 .* not chosen\u2003 \|\n\| sft 50 on addition\u2003 .* promoted\u2003 \|\n/,
    );
    expect(details).toContain('| sft 50 on mmlu-56\u2003 |');
    const shown = details.split('\n').filter((line) => line.includes(' on mmlu-')).length;
    expect(details).toContain(`… and ${String(57 - shown + 14)} more: `);
  });

  test('are left out where the phases leave no room', () => {
    const phases = Array.from({ length: 60 }, (_, index) => report(`phase-${String(index)}`, { note: 'told' }));
    const details = pipelineDetails(page(phases, { candidates: [row(1)] }));
    expect(details).not.toContain('candidate');
    expect(Buffer.byteLength(details)).toBeLessThan(4096);
  });
});

test('the page stays below 4 KB whatever is said, and uses the room it has', () => {
  const notes = fc.array(fc.string({ unit: 'grapheme', maxLength: 2000 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(notes, (texts) => {
      const phases = texts.map((note, index) => report(`phase-${String(index)}`, { note }));
      expect(Buffer.byteLength(pipelineDetails(page(phases)))).toBeLessThan(4096);
    }),
    { numRuns: 50 },
  );
  const long = pipelineDetails(page([report('sft', { note: '[x]'.repeat(2000) })]));
  expect(Buffer.byteLength(long)).toBeGreaterThan(3800);
});
