/** What a watch must live through: a scripted server answers each list and each watch with what the test says. */
import { getEventListeners } from 'node:events';
import type { KubeClient, KubeRequest } from '../../k8s/kube-client.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import { type KubeObject, Reflector, type ReflectorTimes } from '../../k8s/reflector.ts';
import { eventually } from '../support/eventually.ts';

type Answer = object | Error;
const object = (name: string, version: number, uid = name): KubeObject => ({
  metadata: { name, uid, resourceVersion: String(version) },
});
const page = (version: number, items: readonly KubeObject[], more?: string) => ({
  metadata: { resourceVersion: String(version), ...(more === undefined ? {} : { continue: more }) },
  items,
});
const event = (type: string, of: object) => ({ type, object: of });
const gone410 = event('ERROR', { code: 410, reason: 'Expired', message: 'too old resource version' });
/** A watch that stays open and says nothing more. */
const quiet = Symbol('quiet');
type Watch = readonly (object | typeof quiet)[] | Error;

function scripted(lists: readonly Answer[], watches: readonly Watch[], times: Partial<ReflectorTimes> = {}) {
  const asked: string[] = [];
  const said: string[] = [];
  const signals = new Set<AbortSignal>();
  let listed = 0;
  let watched = 0;
  const client: KubeClient = {
    server: 'scripted',
    cluster: 'east',
    send<T>({ path, signal }: KubeRequest) {
      asked.push(path);
      if (signal) signals.add(signal);
      const answer = lists[Math.min(listed++, lists.length - 1)];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(structuredClone(answer) as T);
    },
    stream(path, signal) {
      asked.push(path);
      const watch = watches[watched++] ?? [quiet];
      if (watch instanceof Error) return Promise.reject(watch);
      return Promise.resolve(bytesOf(watch, signal));
    },
    close: () => Promise.resolve(),
  };
  const reflector = new Reflector<KubeObject>({
    client,
    path: '/objects',
    labelSelector: 'a=b',
    changed: ({ metadata }) => void said.push(`${metadata.name}@${metadata.resourceVersion}`),
    gone: ({ metadata }) => void said.push(`-${metadata.name}`),
    random: () => 0,
    times: { pause: 0.001, silence: 0.05, ...times },
  });
  return { reflector, asked, said, signals, names: () => reflector.all().map(({ metadata }) => metadata.name) };
}

async function* bytesOf(watch: Exclude<Watch, Error>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (const each of watch) {
    if (each === quiet) {
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      throw new Error('aborted');
    }
    // Cut in the middle: a line may come in two pieces.
    const line = Buffer.from(`${JSON.stringify(each)}\n`);
    yield line.subarray(0, 7);
    yield line.subarray(7);
  }
}

const saysInTheEnd = async ({ said, reflector }: ReturnType<typeof scripted>, want: readonly string[]) => {
  await reflector.started();
  await eventually('all is said', 60, () => Promise.resolve(said.length >= want.length ? true : null));
  reflector.close();
  expect(said).toEqual(want);
};

test('what is there is told page by page, then each change', async () => {
  const script = scripted(
    [page(5, [object('a', 1)], 'next'), page(5, [object('b', 2)])],
    [[event('ADDED', object('c', 6)), event('MODIFIED', object('a', 7)), event('DELETED', object('b', 8)), quiet]],
  );
  await saysInTheEnd(script, ['a@1', 'b@2', 'c@6', 'a@7', '-b']);
  expect(script.names()).toEqual(['a', 'c']);
  expect(script.asked[1]).toContain('continue=next');
  expect(script.asked[2]).toContain('resourceVersion=5');
});

test('a version that is too old is listed anew, and what went meanwhile is told as gone', async () => {
  const script = scripted(
    [page(5, [object('a', 1), object('b', 2)]), page(20, [object('a', 1), object('c', 15)])],
    [[gone410], [quiet]],
  );
  await saysInTheEnd(script, ['a@1', 'b@2', '-b', 'c@15']);
});

test('a bookmark moves the version on: the next watch begins there', async () => {
  const script = scripted(
    [page(5, [])],
    [[event('BOOKMARK', object('', 90))], [event('ADDED', object('a', 91)), quiet]],
  );
  await saysInTheEnd(script, ['a@91']);
  expect(script.asked.at(-1)).toContain('resourceVersion=90');
});

test.each<{ title: string; trouble: Watch }>([
  { title: 'a reset connection', trouble: new KubeError('ECONNRESET') },
  { title: 'an error of the server', trouble: new KubeError('boom', { status: 500 }) },
  { title: 'a refusal', trouble: new KubeError('no rights', { status: 403 }) },
  { title: 'a half-open connection that says nothing', trouble: [quiet] },
  { title: 'a watch that ends at once', trouble: [] },
  { title: 'an answer that is no JSON', trouble: new SyntaxError('Unexpected token <') },
])('$title is outlived', async ({ trouble }) => {
  const script = scripted([page(5, [])], [trouble, trouble, [event('ADDED', object('a', 6)), quiet]]);
  await saysInTheEnd(script, ['a@6']);
});

test('a list that fails is asked again, for as long as it takes', async () => {
  const down = new KubeError('no answer');
  await saysInTheEnd(scripted([down, down, down, page(5, [object('a', 1)])], [[quiet]]), ['a@1']);
});

test('and leaves nothing behind on what lives as long as the worker', async () => {
  const script = scripted([...Array<Answer>(6).fill(new KubeError('busy', { status: 503 })), page(5, [])], []);
  await script.reflector.started();
  expect(script.asked.length).toBeGreaterThan(6);
  const left = [...script.signals].map((signal) => getEventListeners(signal, 'abort').length);
  script.reflector.close();
  expect(left).toEqual([0]);
});

test('of an object no more is kept than it is asked to, by which it is known all the same', async () => {
  const sent = { metadata: { name: 'a', uid: 'u', resourceVersion: '1' }, spec: 'long' };
  const page = { metadata: { resourceVersion: '1' }, items: [sent] };
  const told: object[] = [];
  const client: KubeClient = {
    server: 'scripted',
    cluster: 'east',
    send: <T>() => Promise.resolve(structuredClone(page) as T),
    stream: (_path, signal) => Promise.resolve(bytesOf([quiet], signal)),
    close: () => Promise.resolve(),
  };
  const reflector = new Reflector<KubeObject>({
    client,
    path: '/objects',
    changed: (object) => void told.push(object),
    gone: (object) => void told.push(object),
    kept: ({ metadata }) => ({ metadata }),
    times: { silence: 0.01, pause: 0.001 },
  });
  await reflector.started();
  const kept = { metadata: sent.metadata };
  expect([told, reflector.all()]).toEqual([[sent], [kept]]);
  // Listed again as it was, it is no news; then it is gone.
  page.items = [];
  await eventually('it is gone', 60, () => told.length > 1);
  expect(told).toEqual([sent, kept]);
  reflector.close();
});

test('an object of the same name that was made anew is another one', async () => {
  const script = scripted([page(5, [object('a', 1, 'first')])], [[event('ADDED', object('a', 9, 'second')), quiet]]);
  await saysInTheEnd(script, ['a@1', '-a', 'a@9']);
});

test('nothing is asked before somebody waits, and closing ends it', async () => {
  const script = scripted([page(5, [])], [[quiet]]);
  expect(script.asked).toEqual([]);
  script.reflector.close();
  await script.reflector.started();
  expect(script.asked).toEqual([]);
});

test.each<{ title: string; watch: Watch }>([
  { title: 'ends at once', watch: [] },
  { title: 'stays silent', watch: [quiet] },
])('after a watch that $title all is listed again: who tells nothing may know nothing', async ({ watch }) => {
  await saysInTheEnd(scripted([page(5, []), page(9, [object('a', 8)])], [watch, [quiet]]), ['a@8']);
});

test.each<{ title: string; watch: Watch }>([
  { title: 'that it is too old, in the stream', watch: [gone410] },
  { title: 'that it is too old, by its status', watch: new KubeError('Expired', { status: 410 }) },
  { title: 'nothing, and ends', watch: [] },
  { title: 'one thing, and breaks', watch: [event('BOOKMARK', object('', 9)), gone410] },
])('a server whose watches always say $title is asked ever more seldom', async ({ watch }) => {
  const script = scripted([page(5, [])], Array<Watch>(100).fill(watch), { pause: 0.02 });
  const begun = performance.now();
  await script.reflector.started();
  await eventually('it is asked again and again', 60, () => script.asked.length >= 12);
  script.reflector.close();
  // Six rounds of a list and a watch, between which are pauses of 15 ms, 30 ms, … 240 ms; all are 75 ms together where they do not grow.
  expect(performance.now() - begun).toBeGreaterThan(400);
});

test('says for how long the server has said nothing: while it is away that grows, also while it is asked in vain', async () => {
  const away = new KubeError('connect ECONNREFUSED');
  const { reflector } = scripted([page(1, []), away], [away]);
  expect(reflector.silentSeconds).toBe(Infinity);
  await reflector.started();
  const heard = reflector.silentSeconds;
  expect(heard).toBeLessThan(5);
  await eventually('it grows', 60, () => reflector.silentSeconds > heard + 0.1);
  reflector.close();
});
