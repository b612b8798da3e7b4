/**
 * What a Temporal server lacks for Temper: an answer, the namespace, the search attributes, a worker. With `fix`, search attributes are added.
 *
 * Nothing of it is needed for a pipeline's jobs, and only an answer and the namespace for a pipeline: without search attributes the list of
 * runs cannot be filtered. Does not cover what workers serve it (their own profile).
 */
import type { Connection } from '@temporalio/client';
import { fine, type HealthCheck, missing, notChecked, warning } from '../decisions/health-check.ts';
import {
  everyAttribute,
  isForOperators,
  lackingSearchAttributes,
  registerSearchAttributes,
  type WantedAttribute,
} from './search-attributes.ts';
import type { Places } from './settings.ts';

interface Server {
  readonly connection: Connection;
  readonly namespace: string;
  readonly address: string;
  readonly places: Pick<Places, 'taskQueue'>;
}

export async function examineServer(
  server: Server,
  { fix }: { readonly fix: boolean },
): Promise<readonly HealthCheck[]> {
  const { connection, namespace, address } = server;
  if (!(await hasNamespace(server)))
    return [
      missing('temporal', `${address} has no namespace "${namespace}"`, {
        change: 'name one with TEMPORAL_NAMESPACE, or make it',
        command: `temporal operator namespace create --address ${address} --namespace ${namespace}`,
      }),
    ];
  const refused = fix ? await registered(server) : null;
  return [
    fine('temporal', `${address} answers, and has the namespace ${namespace}`),
    judgeAttributes(server, await lackingSearchAttributes(connection, namespace), refused),
    await judgeWorker(server),
  ];
}

/** Of a server that nobody could reach; `why` names it. */
export function serverNotExamined(why: unknown): readonly HealthCheck[] {
  return [notChecked('temporal', why instanceof Error ? why.message : String(why))];
}

async function hasNamespace({ connection, namespace }: Server): Promise<boolean> {
  try {
    await connection.workflowService.describeNamespace({ namespace });
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === notFound) return false;
    throw error;
  }
}

/** gRPC's number. */
const notFound = 5;

/** The refusal of a server that lets only operators do this; null where they are there now. */
async function registered({ connection, namespace }: Server): Promise<string | null> {
  try {
    await registerSearchAttributes(connection, namespace);
    return null;
  } catch (error) {
    if (!isForOperators(error)) throw error;
    return (error as { details?: string }).details ?? String(error);
  }
}

function judgeAttributes(
  server: Server,
  lacking: readonly WantedAttribute[] | null,
  refused: string | null,
): HealthCheck {
  const name = 'attributes';
  const without = 'pipelines run without, and lists of runs cannot be filtered by state, phase, model or score';
  if (lacking === null)
    return warning(name, `this server does not say which search attributes it has: ${without}`, {
      change: 'ask an operator of the server whether they are there',
      command: commandFor(server, everyAttribute),
    });
  if (lacking.length === 0) return fine(name, 'the namespace has the search attributes that runs are found by');
  const taken = lacking.filter((each) => each.taken);
  const free = lacking.filter((each) => !each.taken);
  const what = [
    ...taken.map((each) => `${each.name} is there with another type than ${each.type}`),
    ...(free.length > 0 ? [`the namespace lacks ${free.map((each) => each.name).join(', ')}`] : []),
  ];
  const toMend = [
    ...(taken.length > 0 ? ['name a namespace in which nothing else has the name that is taken'] : []),
    ...(free.length > 0 ? [howToAdd(refused)] : []),
  ];
  return warning(name, `${what.join('; ')}: ${without}`, {
    change: toMend.join('; those that are lacking: '),
    ...(free.length > 0 ? { command: commandFor(server, free) } : {}),
  });
}

function howToAdd(refused: string | null): string {
  return refused === null
    ? '`temper doctor --fix` adds them, or'
    : `the server refuses to add them (${refused}): as an operator`;
}

/** Temporal Cloud has a program of its own for it. */
function commandFor({ address, namespace }: Server, attributes: readonly WantedAttribute[]): string {
  if (/\.(tmprl\.cloud|temporal\.io)(:\d+)?$/.test(address)) {
    const words = attributes.map(({ name, type }) => `--search-attribute "${name}=${type}"`);
    return `tcld namespace search-attributes add --namespace ${namespace} ${words.join(' ')}`;
  }
  return attributes
    .map(
      ({ name, type }) =>
        `temporal operator search-attribute create --address ${address} --namespace ${namespace} --name ${name} --type ${type}`,
    )
    .join('\n');
}

async function judgeWorker({ connection, namespace, places: { taskQueue } }: Server): Promise<HealthCheck> {
  const { pollers } = await connection.workflowService.describeTaskQueue({ namespace, taskQueue: { name: taskQueue } });
  return pollers.length > 0
    ? fine('worker', `one polls the task queue ${taskQueue}`)
    : warning('worker', `nobody polls the task queue ${taskQueue}: pipelines wait until a worker is started`, {
        command: 'temper worker',
      });
}
