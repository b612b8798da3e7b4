import { printable, printableLines, printableLog } from '../../../workers/terminal/printable.ts';

test.each([
  { title: 'colours', text: '\u001b[31;1mred\u001b[0m', want: 'red' },
  { title: 'what moves the cursor or clears the screen', text: 'a\u001b[2J\u001b[1;1Hb\rc\u0008', want: 'abc' },
  { title: 'a window title', text: '\u001b]0;you are root\u0007$ ', want: '$ ' },
  { title: 'a link that hides its address', text: '\u001b]8;;http://bad\u001b\\here\u001b]8;;\u001b\\', want: 'here' },
  { title: 'one-byte controls and text that runs backwards', text: '\u009b31mx\u202egnp.exe', want: '31mxgnp.exe' },
  { title: 'nothing of a tab and of other alphabets', text: 'Verlust\tß 損失 €', want: 'Verlust\tß 損失 €' },
])('$title is taken out', ({ text, want }) => {
  expect(printable(text)).toBe(want);
});

test('of many lines, line breaks and the colours that Temper puts on stay: those that hide a word do not', () => {
  const text = '\u001b[31mbad\u001b[39m\n\t\u001b[8mhidden\u001b[0m \u001b[2Jleft\u001b[1A';
  expect(printableLines(text)).toBe('\u001b[31mbad\u001b[39m\n\thidden left');
});

test('a log keeps its lines, and a progress bar gets them', () => {
  const text = 'begins\r\n 10 %\r 20 %\r\n\u001b[32mgreen\u001b[0m\u001b[2K\n';
  expect(printableLog(text)).toBe('begins\n 10 %\n 20 %\ngreen\n');
});
