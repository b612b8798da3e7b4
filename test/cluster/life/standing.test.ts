import { standingOf } from './standing.ts';
import type { ClusterState } from './state.ts';

const process = { pid: 7, started: '70' };
const first = { pid: 8, started: '80' };
const state: ClusterState = {
  mark: 'temper-cluster-1',
  slot: 0,
  repository: '/r',
  owner: process,
  phase: 'starting',
  init: null,
  daemons: {},
  environment: {},
  kubectl: '/k',
};

test.each([
  { what: 'nothing written down', of: undefined, alive: [], want: 'free' },
  { what: 'being brought up', of: state, alive: [process], want: 'owned' },
  { what: 'killed while it was brought up', of: state, alive: [], want: 'leftover' },
  {
    what: 'up, and its suite lives',
    of: { ...state, phase: 'up', init: first },
    alive: [process, first],
    want: 'owned',
  },
  {
    what: 'up, and its suite was killed',
    of: { ...state, phase: 'up', init: first },
    alive: [first],
    want: 'leftover',
  },
  { what: 'up by hand', of: { ...state, phase: 'up', owner: null, init: first }, alive: [first], want: 'by-hand' },
  {
    what: 'up by hand from a checkout that was removed',
    of: { ...state, repository: '/gone', owner: null, init: first },
    alive: [first],
    want: 'leftover',
  },
  {
    what: 'up by hand before the machine was restarted',
    of: { ...state, owner: null, init: first },
    alive: [],
    want: 'leftover',
  },
] as const)('$what: $want', ({ of, alive, want }) => {
  const isAlive = (asked: object) => (alive as readonly object[]).includes(asked);
  expect(standingOf(of, { isAlive, exists: (path) => path === '/r' }).kind).toBe(want);
});
