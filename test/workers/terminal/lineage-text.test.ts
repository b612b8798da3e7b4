import type { Lineage } from '../../../workflows/contract-questions.ts';
import { lineageText } from '../../../workers/terminal/lineage-text.ts';

const known: NonNullable<Lineage['steps'][number]['known']> = {
  pipeline: 'mine\u001b[2J',
  recipe: 'tiny\nrecipe',
  phase: 'sft',
  kind: 'sft',
  step: 40,
  format: 'peft',
  digest: null,
  path: '/store/a\u0007b',
  lies: 'gone',
  prunedAt: null,
  parts: [],
  data: [{ what: 'rows\r\n of it', digest: null }],
  fields: [],
  verdict: 'promoted\u001b]0;title\u0007',
  reusedBy: null,
};

test('a name in the ledger can do nothing to a terminal', () => {
  const text = lineageText({
    answer: 'lineage',
    checkpoint: 'ab',
    steps: [{ checkpoint: 'a\u001b[2J\nb', known }],
    omitted: 0,
  });
  expect(text.split('\n')).toEqual([
    'ab (peft, gone)',
    '  sft of mine (recipe tinyrecipe): step 40',
    '  its files are gone (/store/ab), and no pruning took them',
    '  data: rows of it',
    '  verdict: promoted',
  ]);
});
