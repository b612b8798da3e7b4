/** What is wrong in a file, with the line and column where it stands: all of it, in the order of the file. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { loadFile, loadRecipeFile } from '../../configs/load.ts';
import { repository } from '../../scripts/repository.ts';

const folder = await mkdtemp(join(tmpdir(), 'temper-positions-'));
afterAll(() => rm(folder, { recursive: true }));

const valid = `name: small
model: {tiny: {}}
benchmarks:
  addition: {data: {tiny: held-out}, grader: boxed-integer}
phases:
  - name: base
    kind: base
    params: {steps: 160}
  - name: sft
    kind: sft
    data: {tiny: solutions}
    params:
      learningRate: 5e-3
      batchSize: 32
      steps: 50
      checkpointEvery: 10
    evaluate: {benchmarks: [addition]}
`;

async function answerTo(text: string, set: Record<string, unknown> = {}): Promise<string[]> {
  const path = join(folder, 'mine.yaml');
  await writeFile(path, text);
  const message = await loadRecipeFile(path, set).then(
    () => 'valid',
    (error: unknown) => (error as Error).message,
  );
  return message
    .replaceAll(`${folder}/`, '')
    .split('\n')
    .filter((line, index) => index > 0 || !line.startsWith('Recipe mine.yaml is not valid'))
    .map((line) => line.trim());
}

const replaced = (...changes: readonly (readonly [string, string])[]) =>
  changes.reduce((text, [from, to]) => text.replace(from, to), valid);

test('the file that the others change is valid', async () => {
  expect(await answerTo(valid)).toEqual(['valid']);
});

test.each<{ title: string; text: string; set?: Record<string, unknown>; want: string[] }>([
  {
    title: 'a name of a field is pointed at',
    text: replaced(['learningRate', 'learningRte']),
    want: [
      'mine.yaml:12:5: phases.sft.params.learningRate: is missing (a number)',
      'mine.yaml:13:7: phases.sft.params.learningRte: is no field here; did you mean "learningRate"? Fields: steps, checkpointEvery, learningRate, warmupSteps, lora, batchSize, maxLength',
    ],
  },
  {
    title: 'a value is pointed at, also on one line',
    text: replaced(['held-out', 'held_out']),
    want: [
      'mine.yaml:4:27: benchmarks.addition.data.tiny: is "held_out"; did you mean "held-out"? One of: problems, solutions, held-out',
    ],
  },
  {
    title: 'what is missing is pointed at by the group that lacks it',
    text: replaced(['      steps: 50\n', ''], ['name: small\n', '']),
    want: [
      'mine.yaml:1:1: name: is missing (a text)',
      'mine.yaml:11:5: phases.sft.params.steps: is missing (a number)',
    ],
  },
  {
    title: 'an empty value is pointed at where it should stand',
    text: replaced(['steps: 50', 'steps:']),
    want: ['mine.yaml:15:13: phases.sft.params.steps: is empty, and must be a number'],
  },
  {
    title: 'fields that do not go together are named beside fields that are wrong',
    text: replaced(['checkpointEvery: 10', 'checkpointEvery: 100'], ['kind: base\n', 'kind: bace\n']),
    want: [
      'mine.yaml:7:11: phases.base.kind: is "bace"; did you mean "base"? One of: base, sft, drgrpo, orpo, mxfp4-merge, sao, command',
      'mine.yaml:16:24: phases.sft.params.checkpointEvery: is above steps (50): no checkpoint would come before the end',
    ],
  },
  {
    title: 'what set brought is named after the file',
    text: replaced(['5e-3', '5']),
    set: { 'phases.sft.params.steps': 'fifty', 'phases.stf.params.steps': 1, 'budgets.evaluation': 3 },
    want: [
      'mine.yaml:13:21: phases.sft.params.learningRate: is 5, and must be at most 1',
      'set: phases.sft.params.steps: is "fifty", and must be a number',
      'set: budgets.evaluation: is no field here; did you mean "evaluations"? Fields: attempts, gpuHours, evaluations, waitMinutes, startMinutes, stallMinutes',
      'set: "phases.stf.params.steps": nothing is named "stf"; did you mean "sft"? There are: base, sft',
    ],
  },
  {
    title: 'a field that came by an alias is pointed at where it is written',
    text: replaced(['{tiny: {}}', '&m {tinny: {}}'], ['data: {tiny: solutions}', 'data: *m']),
    want: [
      'mine.yaml:2:1: model.tiny: is missing (a group of fields)',
      'mine.yaml:2:12: model.tinny: is no field here; did you mean "tiny"? Fields: tiny, path, format',
      'mine.yaml:2:12: phases.sft.data.tinny: is no field here; did you mean "tiny"? Fields: tiny, rows, longShare, jsonl',
      'mine.yaml:11:11: phases.sft.data.tiny: is missing; one of: problems, solutions, held-out',
    ],
  },
  {
    title: 'several lines that are no YAML are all named',
    text: `${valid}\tseed: 1\nname: twice\n`,
    want: [
      'mine.yaml:18:1: a tab begins this line, and YAML is indented by spaces alone',
      'mine.yaml:19:1: a field of this name stands above in the same group',
    ],
  },
  {
    title: 'an older YAML, where no is false',
    text: `%YAML 1.1\n---\n${valid}`,
    want: ['mine.yaml:1:1: is YAML 1.1, and must be 1.2'],
  },
  {
    title: 'a number without end',
    text: replaced(['5e-3', '.inf']),
    want: ['mine.yaml:13:21: phases.sft.params.learningRate: is Infinity, and must be a number'],
  },
  {
    title: 'a merge of groups',
    text: `<<: {seed: 2}\n${valid}`,
    want: ['mine.yaml:1:1: <<: is no field here: groups are not merged; name each field'],
  },
  {
    title: 'brackets without end',
    text: `seed: ${'['.repeat(5000)}`,
    want: [expect.stringMatching(/^mine\.yaml:1:\d+: is nested too deeply$/) as string],
  },
])('$title', async ({ text, set, want }) => {
  expect(await answerTo(text, set)).toEqual(want);
});

test('a profile is answered the same way', async () => {
  const path = join(folder, 'place.yaml');
  await writeFile(path, 'name: place\nbackend: local\nslots: many\ngrace: 1\n');
  await expect(loadFile(path)).rejects.toMatchObject({
    details: [
      { line: 3, column: 8, field: 'slots' },
      { line: 4, column: 1, field: 'grace' },
    ],
  });
});

test.each([
  { title: 'is not there', path: join(folder, 'none.yaml'), want: /none\.yaml cannot be read \(ENOENT\)$/ },
  { title: 'is a folder', path: folder, want: /cannot be read \(EISDIR\)$/ },
])('a file that $title', async ({ path, want }) => {
  await expect(loadRecipeFile(path)).rejects.toMatchObject({
    code: 'not-found',
    message: expect.stringMatching(want) as string,
  });
});

test('a file that is no text', async () => {
  const path = join(folder, 'binary.yaml');
  await writeFile(path, Buffer.from([0x6e, 0xff, 0xfe]));
  await expect(loadRecipeFile(path)).rejects.toMatchObject({ message: `${path}: is no text in UTF-8` });
});

test('whatever is cut out of, put into or doubled in the tiny recipe, it is valid or refused with a line', async () => {
  const tiny = await readFile(join(repository, 'configs', 'recipes', 'tiny.yaml'), 'utf8');
  const piece = fc.oneof(
    fc.constantFrom('*a', '&a ', '!x ', '\t', '- ', ': ', '{', '}', '[', ']', '"', '|', '---\n', '? ', '%'),
    fc.string({ unit: 'binary' }),
  );
  const place = fc.nat({ max: tiny.length });
  await fc.assert(
    fc.asyncProperty(place, fc.nat({ max: 40 }), piece, async (start, length, put) => {
      const path = join(folder, 'fuzz.yaml');
      await writeFile(path, tiny.slice(0, start) + put + tiny.slice(start + length));
      await loadRecipeFile(path).catch((error: unknown) => {
        expect(error).toMatchObject({ name: 'TemperError', code: 'invalid-input' });
        expect((error as Error).message).toMatch(/fuzz\.yaml(:\d+:\d+)?: /);
      });
    }),
    { numRuns: 300 },
  );
});
