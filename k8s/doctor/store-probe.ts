/**
 * Whether worker and pods see the same store: a word written by each and read by the other, in pods of the profile's own template.
 *
 * One short Job for each image that the jobs use, without GPUs, so that pull secrets, mounts and secrets' keys are tried as well. The Jobs
 * do not carry the label that Temper's watch and its reaper select by. Everything is taken away again, also when it is stopped; what a
 * killed doctor leaves goes by its own time to live, or with the next one. Covers what happened; judge-store.ts says what it means.
 */
import { randomBytes } from 'node:crypto';
import { lchown, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubernetesProfile } from '../../configs/schema-profile.ts';
import { JobObserver, jobsPath } from '../job-observer.ts';
import type { KubeClient } from '../kube-client.ts';
import { asTemperError, KubeError } from '../kube-error.ts';
import type { SentJob } from '../kube-types.ts';
import { doctorLabel } from '../labels.ts';
import { probeExitCodes, probeJob } from './probe-job.ts';
import { followProbe, type ProbeEnd } from './probe-watch.ts';
import type { JobWish } from './wish.ts';

export interface ProbeOrder {
  readonly client: KubeClient;
  readonly profile: KubernetesProfile;
  /** One for each image. */
  readonly wishes: readonly JobWish[];
  /** How long a pod may take to come up. */
  readonly seconds: number;
  readonly signal: AbortSignal;
}

export type ProbeOutcome =
  | { readonly at: 'worker'; readonly why: 'absent' | 'unwritable'; readonly text: string }
  | { readonly at: 'pods'; readonly pods: readonly PodOutcome[] };

export interface PodOutcome {
  readonly image: string;
  readonly title: string;
  readonly end: ProbeEnd | { readonly state: 'seen-both-ways' } | { readonly state: 'unread' };
}

const folderName = /^\.temper-doctor-[0-9a-f]+$/;
/** Longer than any doctor takes. */
const staleSeconds = 3600;
/** A network filesystem may show a new file late. */
const lateSeconds = 15;

/** Rejects when the signal comes; by then nothing is left. */
export async function probeStore(order: ProbeOrder): Promise<ProbeOutcome> {
  order.signal.throwIfAborted();
  const { store, user } = order.profile;
  const word = randomBytes(8).toString('hex');
  const folder = join(store.path, `.temper-doctor-${word}`);
  try {
    if (!(await stat(store.path)).isDirectory())
      return { at: 'worker', why: 'absent', text: `${store.path} is no folder` };
    await removeStale(store.path);
    await mkdir(folder);
    if (process.getuid?.() === 0) await lchown(folder, user, user);
    await writeFile(join(folder, 'from-worker'), word);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    await rm(folder, { recursive: true, force: true });
    return { at: 'worker', why: code === 'ENOENT' ? 'absent' : 'unwritable', text: message };
  }
  try {
    return { at: 'pods', pods: await runProbes({ ...order, folder, word }) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function removeStale(store: string): Promise<void> {
  const names = (await readdir(store)).filter((name) => folderName.test(name));
  for (const name of names) {
    const { mtimeMs } = await stat(join(store, name));
    if (Date.now() - mtimeMs > staleSeconds * 1000) await rm(join(store, name), { recursive: true, force: true });
  }
}

interface RunOrder extends ProbeOrder {
  readonly folder: string;
  readonly word: string;
}

async function runProbes(order: RunOrder): Promise<readonly PodOutcome[]> {
  const { client, profile, word, signal } = order;
  const observer = new JobObserver(client, profile.namespace, {
    hasQueue: false,
    labelSelector: `${doctorLabel}=${word}`,
  });
  const close = () => {
    observer.close();
  };
  signal.addEventListener('abort', close);
  const made: (SentJob | RefusedProbe)[] = [];
  try {
    await observer.started();
    for (const [index, wish] of order.wishes.entries()) {
      signal.throwIfAborted();
      made.push(await create(wish, order, index));
    }
    return await Promise.all(
      made.map(async (job, index) => {
        const end = 'refused' in job ? notTaken(job) : await followProbe(job, { ...order, observer });
        const { image = '', title = '' } = order.wishes[index] ?? {};
        return { image, title, end: await withOurLook(end, order, index) };
      }),
    );
  } finally {
    signal.removeEventListener('abort', close);
    close();
    await Promise.all(made.flatMap((job) => ('refused' in job ? [] : [remove(client, job)])));
  }
}

interface RefusedProbe {
  readonly refused: string;
}

const notTaken = ({ refused }: RefusedProbe): ProbeEnd => ({ state: 'not-started', text: refused, isCertain: true });

async function create(wish: JobWish, order: RunOrder, index: number): Promise<SentJob | RefusedProbe> {
  const { client, profile, word } = order;
  const body = probeJob(wish, { ...order, name: `temper-doctor-${word}-${String(index)}`, index });
  try {
    return await client.send<SentJob>({ method: 'POST', path: jobsPath(profile.namespace), body });
  } catch (error) {
    if (error instanceof KubeError && !error.isPassing) return { refused: error.message };
    throw asTemperError(error, `create job ${body.metadata?.name ?? ''}`);
  }
}

/** What the pod says is half of it: the worker must find what the pod wrote. */
async function withOurLook(end: ProbeEnd, { folder, word }: RunOrder, index: number): Promise<PodOutcome['end']> {
  if (end.state !== 'ended' || end.exitCode !== probeExitCodes.done) return end;
  const late = Date.now() + lateSeconds * 1000;
  for (;;) {
    const found = await readFile(join(folder, `from-pod-${String(index)}`), 'utf8').catch(() => null);
    if (found === word) return { state: 'seen-both-ways' };
    if (Date.now() > late) return { state: 'unread' };
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function remove(client: KubeClient, { metadata: { namespace = '', name, uid } }: SentJob): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background', preconditions: { uid } };
  try {
    await client.send({ method: 'DELETE', path: `${jobsPath(namespace)}/${name}`, body });
  } catch (error) {
    // Its own time to live takes it away then.
    if (!(error instanceof KubeError)) throw error;
  }
}
