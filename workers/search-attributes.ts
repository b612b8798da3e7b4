/** Registers Temper's search attributes, and says whether the server knows them: without them a pipeline runs all the same. */
import { isGrpcServiceError, type Connection } from '@temporalio/client';
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
  const known = await customAttributesOf(connection, namespace);
  return wanted.every(({ name, type }) => known[name] === type);
}

/** Numbers of gRPC codes with which a hardened server or a cloud answers those who are no operators. */
const notForUs = [7, 12]; // PERMISSION_DENIED, UNIMPLEMENTED

async function customAttributesOf(
  connection: Connection,
  namespace: string,
): Promise<Readonly<Record<string, number>>> {
  try {
    return (await connection.operatorService.listSearchAttributes({ namespace })).customAttributes;
  } catch (error) {
    if (isGrpcServiceError(error) && notForUs.includes(error.code)) return {};
    throw error;
  }
}
