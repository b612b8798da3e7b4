import { join } from 'node:path';
import { repository } from '../../../scripts/repository.ts';
import { findCache, placesOfSlot, slotCount } from './places.ts';

test.each([
  { environment: { HOME: '/h' }, want: '/h/.cache/temper-cluster' },
  { environment: { HOME: '/h', XDG_CACHE_HOME: '/x' }, want: '/x/temper-cluster' },
  { environment: { HOME: '/h', XDG_CACHE_HOME: '/x', TEMPER_CLUSTER_CACHE: '/mine' }, want: '/mine' },
])('the cache is $want', ({ environment, want }) => {
  const { cache, lock } = findCache(environment);
  expect([cache, lock]).toEqual([want, join(want, 'build.lock')]);
  expect(cache.startsWith(repository)).toBe(false);
});

test('no two slots share a folder, a link, an address or a network', () => {
  const all = Array.from({ length: slotCount }, (_, slot) => placesOfSlot(slot));
  for (const name of ['state', 'folder', 'link', 'hostAddress', 'podNetwork', 'nodeAddress'] as const) {
    expect(new Set(all.map((places) => places[name])).size).toBe(slotCount);
  }
});

test('sockets are short enough for the kernel', () => {
  for (let slot = 0; slot < slotCount; slot += 1) expect(placesOfSlot(slot).containerdSocket.length).toBeLessThan(107);
});
