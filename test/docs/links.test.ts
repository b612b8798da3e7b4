import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../scripts/repository.ts';
import { anchorsOf, linksOf, type Page, readPages } from './pages.ts';

const pages = readPages();

/** One line per link that leads nowhere. */
function brokenLinks(page: Page): string[] {
  return linksOf(page).flatMap(({ target, path, anchor }) => {
    if (path !== page.path && !existsSync(join(repository, path))) return [`${target}: there is no ${path}`];
    if (anchor === null || !path.endsWith('.md')) return [];
    const text = path === page.path ? page.text : readFileSync(join(repository, path), 'utf8');
    return anchorsOf(text).has(anchor) ? [] : [`${target}: no heading of ${path} is #${anchor}`];
  });
}

test.each(pages)('every link and image of $path leads somewhere', (page) => {
  expect(brokenLinks(page)).toEqual([]);
});

test('every page of docs can be reached from the README', () => {
  const reached = new Set<string>();
  const follow = (path: string) => {
    const page = pages.find((each) => each.path === path);
    if (page === undefined || reached.has(path)) return;
    reached.add(path);
    for (const link of linksOf(page)) follow(/\.\w+$/.test(link.path) ? link.path : join(link.path, 'README.md'));
  };
  follow('README.md');
  const ofDocs = pages.map(({ path }) => path).filter((path) => path.startsWith('docs/'));
  expect(ofDocs.filter((path) => !reached.has(path) && !path.startsWith('docs/decisions/'))).toEqual([]);
});

test.each([
  { text: '[a](gone.md)', want: ['gone.md: there is no docs/gone.md'] },
  { text: '![a](images/gone.png)', want: ['images/gone.png: there is no docs/images/gone.png'] },
  { text: '# One, `two`\n[a](#one-two)', want: [] },
  { text: '# One\n[a](#two)', want: ['#two: no heading of docs/x.md is #two'] },
  { text: '[a](../README.md#gone)', want: ['../README.md#gone: no heading of README.md is #gone'] },
  { text: '# A\n# A\n[second](#a-1)', want: [] },
  { text: '```\n[a](gone.md)\n```\n`[a](gone.md)` [a](https://example.com/gone.md)', want: [] },
])('of $text it says $want', ({ text, want }) => {
  expect(brokenLinks({ path: 'docs/x.md', text })).toEqual(want);
});
