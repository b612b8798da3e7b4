import fc from 'fast-check';
import { profileSchema, recipeSchema } from '../../configs/schema.ts';
import { recipeOf } from '../support/recipes.ts';
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
