import fc from 'fast-check';
import { escaped, newestOf, paragraph, summaryOf, table } from '../../workflows/markdown.ts';

const bytes = (text: string) => Buffer.byteLength(text);
const longest = 3600;

test.each([
  { text: '<b>bold</b>', want: '\\<b\\>bold\\</b\\>' },
  { text: '**bold** _it_ ~~no~~ `code`', want: '\\*\\*bold\\*\\* \\_it\\_ \\~\\~no\\~\\~ \\`code\\`' },
  { text: '[a](http://x) ![b](y)', want: '\\[a\\](http://x) !\\[b\\](y)' },
  { text: 'one | two', want: 'one \\| two' },
  { text: '# head', want: '\\# head' },
  { text: 'two\n\nlines\tand a tab', want: 'two lines and a tab' },
  { text: 'C:\\dir', want: 'C:\\\\dir' },
])('$text is shown as it is', ({ text, want }) => {
  expect(escaped(text)).toBe(want);
});

test('a table sets its cells apart with an em space', () => {
  expect(table(['phase', 'state'], [['sft', 'held']])).toBe(
    '| phase\u2003 | state\u2003 |\n| --- | --- |\n| sft\u2003 | held\u2003 |',
  );
});

test('an interval is not broken behind its dash; what is no interval stays as it is', () => {
  expect(
    table(['95 %'], [['0.425–0.588'], ['sft–orpo']])
      .split('\n')
      .slice(2),
  ).toEqual(['| 0.425\u2060–\u20600.588\u2003 |', '| sft–orpo\u2003 |']);
});

test('a long cell is cut, and leaves room for the other rows', () => {
  const rows = [
    ['sft', 'x'.repeat(9000)],
    ['orpo', 'short'],
  ];
  const lines = table(['phase', 'note'], rows).split('\n');
  expect(lines[2]).toMatch(/^\| sft\u2003 \| x{239}…\u2003 \|$/);
  expect(lines[3]).toBe('| orpo\u2003 | short\u2003 |');
});

test('rows that the page does not hold are counted', () => {
  const page = table(
    ['phase'],
    Array.from({ length: 300 }, (_, index) => [`phase-${String(index)}`.padEnd(30, 'x')]),
  );
  expect(page).toMatch(/\n\n… and \d+ more rows$/);
  const shown = page.split('\n').filter((line) => line.includes('phase-')).length;
  expect(page).toContain(`… and ${String(300 - shown)} more rows`);
});

test('a list keeps the newest and counts those before', () => {
  const entries = Array.from({ length: 50 }, (_, index) => `decision ${String(index)} ${'x'.repeat(300)}`);
  const lines = newestOf(entries).split('\n');
  expect(lines.at(-1)).toMatch(/^- decision 49 /);
  expect(lines[0]).toBe(`- … and ${String(50 - (lines.length - 1))} before`);
  expect(newestOf([])).toBe('');
});

test('no text from outside makes the page too long or adds a cell', () => {
  const rows = fc.array(fc.array(fc.string({ unit: 'grapheme', maxLength: 400 }), { minLength: 2, maxLength: 2 }));
  fc.assert(
    fc.property(rows, (cells) => {
      const page = table(['a', 'b'], cells);
      expect(bytes(page)).toBeLessThan(longest);
      expect(bytes(newestOf(cells.flat()))).toBeLessThan(longest);
      const lines = page.split('\n').filter((line) => line.startsWith('|'));
      for (const line of lines) expect(line.match(/(?<!\\)(?:\\\\)*\|/g)).toHaveLength(3);
    }),
  );
});

test('the words of a backend stay words, in one short line', () => {
  const words = `waits for <img src=x> **now**\n# head | cell ${'x'.repeat(5000)}`;
  expect(paragraph(words)).toMatch(/^waits for \\<img src=x\\> \\\*\\\*now\\\*\\\* \\# head \\\| cell x+…$/);
  expect(bytes(paragraph(words))).toBeLessThan(1000);
  expect(summaryOf(words)).toMatch(/^waits for <img src=x> \*\*now\*\* # head \| cell x+…$/);
  expect(summaryOf(words)).toHaveLength(200);
});
