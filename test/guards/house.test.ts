/** Each house rule finds a bad case and lets a good one pass. */
import { findProblems } from '../../scripts/check/house-rules.ts';

const long = 'const a = 1;\n'.repeat(301);

describe('house rules', () => {
  test.each([
    { path: 'store/runDirectory.ts', text: '', want: 'kebab-case' },
    { path: 'store/RunDirectory.test.ts', text: '', want: 'kebab-case' },
    { path: 'trainers/temper_trainers/RunMerge.py', text: '', want: 'snake_case' },
    { path: 'store/utils.ts', text: '', want: '"utils" says nothing' },
    { path: 'store/types.ts', text: '', want: '"types" says nothing' },
    { path: 'test/support/helpers.ts', text: '', want: '"helpers" says nothing' },
    { path: 'trainers/temper_trainers/common.py', text: '', want: '"common" says nothing' },
    { path: 'trainers/temper_trainers/sao.py', text: long, want: '301 lines of code' },
    { path: 'docs/how-to.md', text: 'cd /home/somebody/temper', want: 'a path of one machine' },
    { path: 'package-lock.json', text: '"resolved": "x"', want: 'download addresses' },
    { path: 'scripts/install.sh', text: 'pip install --index-url somewhere torch', want: 'names a package registry' },
    {
      path: 'store/ledger/evaluations.ts',
      text: "await db.updateTable('outcomes').set({ correct: 1 }).execute();",
      want: 'outcomes are written once',
    },
    {
      path: 'store/ledger/decisions.ts',
      text: "db.insertInto('verdicts').values(row).onConflict((one) => one.column('key').doUpdateSet(row)).execute();",
      want: 'verdicts are written once',
    },
    ...[
      'db.deleteFrom("outcomes").execute();',
      'db.updateTable(`outcomes`).set({ correct: 1 }).execute();',
      "db.updateTable(\n  'outcomes as old',\n).set({ correct: 1 }).execute();",
      'await sql`UPDATE outcomes SET correct = 1`.execute(db);',
      'await sql`delete from "outcomes" where id = 1`.execute(db);',
      'await sql`insert into outcomes values (1) on conflict do update set correct = 1`.execute(db);',
    ].map((text) => ({ path: 'store/ledger/evaluations.ts', text, want: 'outcomes are written once' })),
    { path: '.npmrc', text: 'registry=somewhere', want: 'names a package registry' },
  ])('$path: $want', ({ path, text, want }) => {
    expect(findProblems([{ path, text }])).toEqual([expect.stringContaining(want)]);
  });

  test.each([
    { path: 'store/run-directory.ts', text: '' },
    { path: 'store/ledger/migrations/0001-first-tables.ts', text: '' },
    { path: '.dependency-cruiser.mjs', text: '' },
    { path: 'eslint.config.mjs', text: '' },
    { path: 'trainers/temper_trainers/__main__.py', text: '' },
    { path: 'store/long.ts', text: 'const a = 1;\n'.repeat(300) + '\n// why\n'.repeat(50) },
    { path: 'docs/how-to.md', text: 'kubectl exec -- ls /var/lib/temper' },
    {
      path: 'store/ledger/attempts.ts',
      text: "db.insertInto('decisions').values(row).execute();\ndb.updateTable('attempts').set({ state }).execute();",
    },
    {
      path: 'store/ledger/outcomes.ts',
      text: "/** An update never touches outcomes. */\nawait sql`select * from outcomes where kind = 'update'`.execute(db);",
    },
    { path: 'LICENSE', text: '' },
  ])('$path is fine', (file) => {
    expect(findProblems([file])).toEqual([]);
  });
});
