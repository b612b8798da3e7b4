/** Entries of a profile's `jobs` that count for nothing are named, with what was meant; those of other recipes' phases stop nobody. */
import { entriesNearKinds, unusedEntries } from '../../configs/unused-entries.ts';
import { profileSchema, recipeSchema } from '../../configs/schema.ts';
import { kubernetesProfile } from '../support/kubernetes-profile.ts';
import { foreign, leastPhases, recipeOf } from '../support/recipes.ts';

const recipe = recipeSchema.parse(recipeOf([leastPhases.sft, foreign]));
const profileWith = (...entries: string[]) =>
  kubernetesProfile({ jobs: Object.fromEntries(['default', ...entries].map((entry) => [entry, { image: 'all:1' }])) });
const unused = (entry: string) =>
  `jobs.${entry} of profile "site" counts for no job of recipe "small": no kind of job and no phase of it is called so`;

test.each([
  {
    title: 'every kind of phase and of the jobs beside them',
    entries: ['sao', 'mxfp4-merge', 'evaluate', 'seal'],
    want: [],
  },
  { title: 'a phase of the recipe', entries: ['tuned'], want: [] },
  { title: 'a misspelt kind', entries: ['drgpro'], want: [`${unused('drgpro')}; did you mean "drgrpo"?`] },
  { title: 'a misspelt phase', entries: ['tunde'], want: [`${unused('tunde')}; did you mean "tuned"?`] },
  { title: 'what is near nothing', entries: ['quux'], want: [unused('quux')] },
])('of a recipe and a profile: $title', ({ entries, want }) => {
  expect(unusedEntries(profileWith(...entries), recipe)).toEqual(want);
});

test.each([
  { title: 'a misspelt kind', entry: 'evalute', want: 'did you mean "evaluate"?' },
  { title: 'a phase of a recipe that is there', entry: 'tuned', want: null },
  { title: 'what no kind is near to: a phase of a recipe that is elsewhere', entry: 'warmup-with-hints', want: null },
])('of a profile alone: $title', ({ entry, want }) => {
  const said = entriesNearKinds(profileWith(entry), [recipe]);
  expect(said).toEqual(want === null ? [] : [expect.stringContaining(want)]);
});

test('a profile of this machine has no such entries', () => {
  expect(unusedEntries(profileSchema.parse({ name: 'laptop', backend: 'local' }), recipe)).toEqual([]);
});
