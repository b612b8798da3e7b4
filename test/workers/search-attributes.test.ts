import type { Connection } from '@temporalio/client';
import { registerSearchAttributes, searchAttributesKnown } from '../../workers/search-attributes.ts';

const all = { TemperState: 2, TemperPhase: 2, TemperModel: 2, TemperScore: 4 };

/** A namespace with these attributes; `added` is what it was asked to add. */
function serverWith(customAttributes: Readonly<Record<string, number>>) {
  const added: unknown[] = [];
  const operatorService = {
    listSearchAttributes: () => Promise.resolve({ customAttributes }),
    addSearchAttributes: (request: unknown) => {
      added.push(request);
      return Promise.resolve({});
    },
  };
  return { connection: { operatorService } as unknown as Connection, added };
}

test.each<{ title: string; has: Record<string, number>; want: boolean }>([
  { title: 'all of them', has: { ...all, Theirs: 1 }, want: true },
  { title: 'none', has: {}, want: false },
  { title: 'one too few', has: { TemperState: 2, TemperPhase: 2, TemperModel: 2 }, want: false },
  { title: 'one of another type', has: { ...all, TemperScore: 2 }, want: false },
])('a namespace with $title knows them: $want', async ({ has, want }) => {
  expect(await searchAttributesKnown(serverWith(has).connection, 'default')).toBe(want);
});

test('they are added where one is missing, and only there', async () => {
  const without = serverWith({ TemperState: 2 });
  await registerSearchAttributes(without.connection, 'default');
  const { TemperState: _known, ...lacking } = all;
  expect(without.added).toEqual([{ namespace: 'default', searchAttributes: lacking }]);
  const having = serverWith(all);
  await registerSearchAttributes(having.connection, 'default');
  expect(having.added).toEqual([]);
});
