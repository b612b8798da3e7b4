import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterState } from './state.ts';
import { changeState, markOfProcess, readState, removeState, writeState } from './state.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'temper-state-'));
  path = join(folder, '0.json');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const state: ClusterState = {
  mark: 'temper-cluster-1',
  slot: 0,
  repository: '/r',
  owner: null,
  phase: 'starting',
  init: null,
  daemons: { etcd: { command: ['etcd'], process: null } },
  environment: {},
  kubectl: '/k',
};

test('a change keeps the rest, and is on the disk', () => {
  writeState(path, state);
  changeState(path, () => ({ phase: 'up' }));
  expect(readState(path)).toEqual({ ...state, phase: 'up' });
});

test('a cluster that was taken down cannot be written back', () => {
  writeState(path, state);
  removeState(path);
  expect(() => changeState(path, () => ({ phase: 'up' }))).toThrow('was taken down meanwhile');
  expect(readState(path)).toBeUndefined();
});

test('a torn file counts as none', () => {
  writeFileSync(path, '{"mark": "temp');
  expect(readState(path)).toBeUndefined();
});

test('a process is told from a later one with its number', () => {
  expect(markOfProcess(process.pid)).toEqual({ pid: process.pid, started: expect.stringMatching(/./) as string });
  expect(markOfProcess(2 ** 22 + 1)).toBeUndefined();
});
