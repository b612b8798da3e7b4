import type { Connected } from '../../workers/cli/connect.ts';
import { examineServer } from '../../workers/doctor-temporal.ts';

const all = { TemperState: 2, TemperPhase: 2, TemperModel: 2, TemperScore: 4 };
const refusal = { code: 7, details: 'Request unauthorized.', metadata: {} };

interface ServerFacts {
  readonly address?: string;
  /** Null: it does not say. */
  readonly has?: Readonly<Record<string, number>> | null;
  readonly refuses?: boolean;
  readonly pollers?: number;
}

/** A server, and what was added to it. */
function serverWith({ address = 'temporal.internal:7233', has = all, refuses = false, pollers = 1 }: ServerFacts) {
  const attributes = { ...has };
  const operatorService = {
    listSearchAttributes: () =>
      has === null ? Promise.reject(grpcError()) : Promise.resolve({ customAttributes: attributes }),
    addSearchAttributes: ({ searchAttributes }: { searchAttributes: Record<string, number> }) => {
      if (refuses) return Promise.reject(grpcError());
      return Promise.resolve(Object.assign(attributes, searchAttributes));
    },
  };
  const workflowService = {
    describeNamespace: () => Promise.resolve({}),
    describeTaskQueue: () => Promise.resolve({ pollers: Array.from({ length: pollers }, () => ({})) }),
  };
  const connection = { operatorService, workflowService };
  return { connection, address, namespace: 'training', places: { taskQueue: 'temper' } } as unknown as Connected;
}

const grpcError = () => Object.assign(new Error(`7 PERMISSION_DENIED: ${refusal.details}`), refusal);

const named = async (facts: ServerFacts, name: string, fix = false) =>
  (await examineServer(serverWith(facts), { fix })).find((check) => check.name === name);

test('a server that has everything', async () => {
  const verdicts = (await examineServer(serverWith({}), { fix: false })).map(({ verdict }) => verdict);
  expect(verdicts).toEqual(['ok', 'ok', 'ok']);
});

test('attributes that are lacking: what works without them, and the commands that add them', async () => {
  const { TemperScore: _score, TemperModel: _model, ...has } = all;
  expect(await named({ has }, 'attributes')).toMatchObject({
    verdict: 'warning',
    what: 'the namespace lacks TemperModel, TemperScore: pipelines run without, and lists of runs cannot be filtered by state, phase, model or score',
    mend: {
      command: [
        'temporal operator search-attribute create --address temporal.internal:7233 --namespace training --name TemperModel --type Keyword',
        'temporal operator search-attribute create --address temporal.internal:7233 --namespace training --name TemperScore --type Double',
      ].join('\n'),
    },
  });
  expect(await named({ has }, 'attributes', true)).toMatchObject({ verdict: 'ok' });
});

test('a server that lets only operators add them says so, with --fix too', async () => {
  expect(await named({ has: {}, refuses: true }, 'attributes', true)).toMatchObject({
    verdict: 'warning',
    mend: { change: 'the server refuses to add them (Request unauthorized.): as an operator' },
  });
});

test('Temporal Cloud, which tells operators alone: by its own program', async () => {
  expect(await named({ address: 'training.a1b2c.tmprl.cloud:7233', has: null }, 'attributes')).toMatchObject({
    verdict: 'warning',
    what: expect.stringContaining('does not say which search attributes it has') as string,
    mend: {
      command:
        'tcld namespace search-attributes add --namespace training --search-attribute "TemperState=Keyword" --search-attribute "TemperPhase=Keyword" --search-attribute "TemperModel=Keyword" --search-attribute "TemperScore=Double"',
    },
  });
});

test('a name that is taken is not added over', async () => {
  expect(await named({ has: { ...all, TemperScore: 2 } }, 'attributes', true)).toMatchObject({
    verdict: 'warning',
    what: expect.stringContaining('TemperScore is there with another type than Double') as string,
  });
});

test('a name that is taken does not hide those that are lacking, nor how to add them', async () => {
  const found = await named({ has: { TemperScore: 2, TemperState: 2, TemperPhase: 2 } }, 'attributes');
  expect(found).toMatchObject({
    verdict: 'warning',
    what: expect.stringMatching(
      /^TemperScore is there with another type than Double; the namespace lacks TemperModel: /,
    ) as string,
    mend: {
      change: expect.stringMatching(/is taken; those that are lacking: `temper doctor --fix` adds them/) as string,
      command: expect.stringMatching(/--name TemperModel --type Keyword$/) as string,
    },
  });
});

test('a task queue that nobody polls', async () => {
  expect(await named({ pollers: 0 }, 'worker')).toMatchObject({
    verdict: 'warning',
    mend: { command: 'temper worker' },
  });
});
