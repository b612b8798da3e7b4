/** Registers Temper's search attributes, and says whether the server knows them: without them a pipeline runs all the same. */
import type { Connection } from '@temporalio/client';
import { searchAttributes } from '../workflows/messages.ts';

/** Numbers of temporal.api.enums.v1.IndexedValueType. */
const indexedTypes = { KEYWORD: 2, DOUBLE: 4 } as const;
const wanted = Object.values(searchAttributes).map(({ name, type }) => ({ name, type: indexedTypes[type] }));

/** Adds those that the namespace lacks. Needs the rights of an operator. */
export async function registerSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  if (await searchAttributesKnown(connection, namespace)) return;
  const types = Object.fromEntries(wanted.map(({ name, type }) => [name, type]));
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: types });
}

/** True when the namespace has each of them, with its type. */
export async function searchAttributesKnown(connection: Connection, namespace: string): Promise<boolean> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const known: Readonly<Record<string, number>> = customAttributes;
  return wanted.every(({ name, type }) => known[name] === type);
}
