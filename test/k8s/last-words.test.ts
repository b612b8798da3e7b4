/** What is kept of a Job that goes: of ours alone, and where it cannot be kept, who runs the worker is told. */
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jobEvidenceFile } from '../../decisions/job-evidence.ts';
import { EvidenceKeeper } from '../../k8s/evidence-file.ts';
import { annotations } from '../../k8s/labels.ts';
import { lastWords } from '../../k8s/last-words.ts';
import type { OwnerOf } from '../../k8s/whose-job.ts';
import { eventually } from '../support/eventually.ts';
import { failed, job, now, pod } from './job-builders.ts';
import { toldCluster } from './told-cluster.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'temper-last-words-'));
});
afterEach(() => rm(directory, { recursive: true }));

function keeping(ownerOf: OwnerOf) {
  const told: string[] = [];
  const warn = (sentence: string) => void told.push(sentence);
  const { client } = toldCluster();
  const signal = new AbortController().signal;
  const evidence = new EvidenceKeeper({ now: () => now, warn });
  const { gone } = lastWords({ client, namespace: 'training', signal, ownerOf, evidence, warn });
  const seen = (of: string) => ({
    job: job({ ...failed, annotations: { [annotations.directory]: of, [annotations.owner]: 'us' } }),
    pods: [pod()],
    events: [],
  });
  return {
    told,
    goes: (of: string) => {
      gone(seen(of));
    },
  };
}
const isKept = () =>
  access(join(directory, jobEvidenceFile)).then(
    () => true,
    () => null,
  );

test('a directory whose owner cannot be read is nobody’s; one of ours is written into', async () => {
  let asked = 0;
  const { told, goes } = keeping(() => ((asked += 1) === 1 ? Promise.reject(new Error('EIO')) : Promise.resolve('us')));
  goes(directory);
  await eventually('its owner is asked for', 60, () => asked === 1);
  expect(await isKept()).toBeNull();
  goes(directory);
  await eventually('the evidence is kept', 60, isKept);
  expect(told).toEqual([]);
});

test.each([
  { what: 'cannot be written', place: 'gone', why: 'ENOENT' },
  { what: 'cannot be read', place: 'x'.repeat(300), why: 'ENAMETOOLONG' },
])('of a directory that $what is told, with the file', async ({ place, why }) => {
  const { told, goes } = keeping(() => Promise.resolve('us'));
  goes(join(directory, place));
  await eventually('it is told', 60, () => told.length > 0);
  expect(told).toEqual([expect.stringContaining(`is not kept in ${join(directory, place, jobEvidenceFile)}`)]);
  expect(told[0]).toContain(why);
});
