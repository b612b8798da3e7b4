/**
 * A Temporal server and a worker of Temper among the daemons of a test cluster: they have its network, and go with it however it ends.
 *
 * The worker is `temper worker` as a person starts it, with rights in one namespace. Does not cover what runs on it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { stringify } from 'yaml';
import { openSqliteLedger } from '../../store/ledger/sqlite.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { SlotPlaces } from '../../test/cluster/machine/places.ts';
import { addDaemon, killDaemon } from '../../test/cluster/node/daemons.ts';
import { eventually } from '../../test/support/eventually.ts';
import { registerSearchAttributes } from '../../workers/search-attributes.ts';
import { readSettings } from '../../workers/settings.ts';

export const taskQueue = 'bench';
const profileName = 'bench';
const serverSeconds = 60;

export interface TemperOnCluster {
  readonly client: Client;
  readonly ledger: Ledger;
  /** Ends both daemons; jobs stay. */
  close(): Promise<void>;
}

export interface TemperOptions {
  /** A word that no other Temper of this cluster has. */
  readonly purpose: string;
  /** Lacks only its name. */
  readonly profile: object;
  readonly kubeconfig: string;
}

/** Daemons `temporal` and `worker`, one Temper at a time. Resolves when the worker polls. */
export async function startTemper(
  places: SlotPlaces,
  { purpose, profile, kubeconfig }: TemperOptions,
): Promise<TemperOnCluster> {
  const settings = readSettings(process.env);
  const folder = join(places.folder, `temper-${purpose}`);
  const profiles = join(folder, 'profiles');
  mkdirSync(profiles, { recursive: true });
  writeFileSync(join(profiles, `${profileName}.yaml`), stringify({ name: profileName, ...profile }));
  const address = `${places.nodeAddress}:7233`;
  // Its parts look for each other at 127.0.0.1 whatever address they are given; all of them are the cluster's own.
  const where = ['--ip', '0.0.0.0', '--headless', '--db-filename', join(folder, 'temporal.sqlite')];
  // As it comes, its database waits for the disk several times in each transaction, one after the other: a server for a thousand phases does not.
  const unsynced = ['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=OFF'];
  const server = [settings.temporalCli, 'server', 'start-dev', ...where, ...unsynced, '--log-level', 'warn'];
  await addDaemon(places, 'temporal', server);
  const connection = await connectedTo(address, settings.namespace);
  await registerSearchAttributes(connection, settings.namespace);
  const environment = {
    TEMPORAL_ADDRESS: address,
    TEMPER_STORE: folder,
    TEMPER_PROFILES: profiles,
    TEMPER_TASK_QUEUE: taskQueue,
    TEMPER_PYTHON: settings.python,
    TEMPORAL_CLI: settings.temporalCli,
    KUBECONFIG: kubeconfig,
  };
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const program = [process.execPath, join(settings.home, 'bin', 'temper.mjs'), 'worker', '--profile', profileName];
  await addDaemon(places, 'worker', ['env', ...variables, ...program]);
  await untilPolled(connection, settings.namespace);
  const ledger = await openSqliteLedger(join(folder, 'ledger.sqlite'));
  return {
    client: new Client({ connection, namespace: settings.namespace }),
    ledger,
    async close() {
      await ledger.close();
      await connection.close();
      for (const name of ['worker', 'temporal']) await killDaemon(places, name);
    },
  };
}

/** Its parts begin to listen one after the other. */
async function connectedTo(address: string, namespace: string): Promise<Connection> {
  return await eventually(`the Temporal server at ${address} answers`, serverSeconds, () =>
    orNull(async () => {
      const connection = await Connection.connect({ address, connectTimeout: '2 seconds' });
      await connection.workflowService.describeNamespace({ namespace });
      return connection;
    }),
  );
}

async function untilPolled(connection: Connection, namespace: string): Promise<void> {
  const queue = { namespace, taskQueue: { name: taskQueue } };
  await eventually('a worker polls', serverSeconds, () =>
    orNull(async () => (await connection.workflowService.describeTaskQueue(queue)).pollers.length > 0),
  );
}

/** Null while nobody answers. */
async function orNull<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch {
    return null;
  }
}
