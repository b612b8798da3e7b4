/** The pages that people read, and what stands in them: links, anchors, samples, commands. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { repository } from '../../scripts/repository.ts';

export interface Page {
  /** In the repository. */
  readonly path: string;
  readonly text: string;
}

export interface Sample {
  readonly line: number;
  /** What follows the opening fence: `yaml`, `sh`. */
  readonly language: string;
  readonly text: string;
}

const single = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'decisions/README.md'];

export function readPages(): readonly Page[] {
  const below = globSync('docs/**/*.md', { cwd: repository }).sort();
  return [...single, ...below].map((path) => ({ path, text: readFileSync(join(repository, path), 'utf8') }));
}

/** Code between fences. */
export function samplesOf(text: string): readonly Sample[] {
  const samples: Sample[] = [];
  let open: { line: number; language: string; lines: string[] } | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^\s*```(.*)$/.exec(line);
    if (fence === null) open?.lines.push(line);
    else if (open === null) open = { line: index + 1, language: (fence[1] ?? '').trim(), lines: [] };
    else {
      samples.push({ line: open.line, language: open.language, text: open.lines.join('\n') });
      open = null;
    }
  }
  return samples;
}

/** The same page with nothing between fences; lines keep their numbers. */
export function withoutSamples(text: string): string {
  return text.replace(/^\s*```[\s\S]*?^\s*```.*$/gm, (sample) => sample.replace(/[^\n]/g, ''));
}

export interface Link {
  readonly target: string;
  /** In the repository; the page itself for an anchor alone. */
  readonly path: string;
  readonly anchor: string | null;
}

/** Relative links and images; what leads out of the repository is nobody's promise. */
export function linksOf({ path, text }: Page): readonly Link[] {
  const prose = withoutSamples(text).replace(/`[^`\n]*`/g, '');
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
  const defined = [...prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm)];
  const html = [...prose.matchAll(/<(?:img|a)\b[^>]*\b(?:src|href)="([^"]+)"/g)];
  return [...inline, ...defined, ...html]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
    .map((target) => {
      const [file = '', anchor] = target.split('#');
      const to = file === '' ? path : normalize(join(dirname(path), decodeURIComponent(file)));
      return { target, path: to, anchor: anchor ?? null };
    });
}

/** What GitHub makes of each heading. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutSamples(text).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '').replaceAll(' ', '-');
    let anchor = slug;
    for (let twin = 1; anchors.has(anchor); twin += 1) anchor = `${slug}-${String(twin)}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Words after `temper` of each command that is shown, in samples and between backticks. */
export function commandsOf(text: string): readonly (readonly string[])[] {
  const inSamples = samplesOf(text).flatMap((sample) => sample.text.split('\n'));
  const inProse = [...withoutSamples(text).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...inSamples, ...inProse].flatMap((line) => {
    const found = /^\s*(?:\$ )?(?:[A-Z][A-Z_]*=\S+ )*(?:npx )?temper((?:\s.*)?)$/.exec(line);
    return found === null ? [] : [wordsOf(found[1] ?? '')];
  });
}

/** As a shell reads them, up to a comment, a pipe or where the output goes. */
function wordsOf(text: string): readonly string[] {
  const words = [...text.matchAll(/(?<=^|\s)((?:[^\s"']|"[^"]*"|'[^']*')+)/g)].map(([, word = '']) => word);
  const end = words.findIndex((word) => /^(#|\||>|&|;)/.test(word));
  return words.slice(0, end === -1 ? words.length : end).map((word) => word.replace(/["']/g, ''));
}
