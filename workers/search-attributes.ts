/** Registers Temper's search attributes, and says whether the server knows them: without them a pipeline runs all the same. */
import { isGrpcServiceError, type Connection } from '@temporalio/client';
import { searchAttributes } from '../workflows/messages.ts';

/** Numbers of temporal.api.enums.v1.IndexedValueType, by the names that the commands of a server have. */
const indexedTypes = { Keyword: 2, Double: 4 } as const;

export interface WantedAttribute {
  readonly name: string;
  readonly type: keyof typeof indexedTypes;
  /** The namespace has another of this name, with another type. */
  readonly taken: boolean;
}

export const everyAttribute = Object.values(searchAttributes).map(({ name, type }): WantedAttribute => ({
  name,
  type: type === 'DOUBLE' ? 'Double' : 'Keyword',
  taken: false,
}));

/** What a namespace lacks of them; null where the server does not tell: it is hardened, or a cloud. */
export async function lackingSearchAttributes(
  connection: Connection,
  namespace: string,
): Promise<readonly WantedAttribute[] | null> {
  const known = await customAttributesOf(connection, namespace);
  if (known === null) return null;
  return everyAttribute
    .filter(({ name, type }) => known[name] !== indexedTypes[type])
    .map((attribute) => ({ ...attribute, taken: known[attribute.name] !== undefined }));
}

/** Adds those that the namespace lacks, but for names that are taken. Needs the rights of an operator; throws the server's refusal. */
export async function registerSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const lacking = (await lackingSearchAttributes(connection, namespace)) ?? everyAttribute;
  const free = lacking.filter(({ taken }) => !taken);
  if (free.length === 0) return;
  const numbers = Object.fromEntries(free.map(({ name, type }) => [name, indexedTypes[type]]));
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: numbers });
}

/** True when the namespace has each of them, with its type. */
export async function searchAttributesKnown(connection: Connection, namespace: string): Promise<boolean> {
  return (await lackingSearchAttributes(connection, namespace))?.length === 0;
}

/** Whether a server refuses those who are no operators, as a hardened one or a cloud does. */
export function isForOperators(error: unknown): boolean {
  return isGrpcServiceError(error) && notForUs.includes(error.code);
}

/** Numbers of gRPC codes. */
const notForUs = [7, 12]; // PERMISSION_DENIED, UNIMPLEMENTED

async function customAttributesOf(
  connection: Connection,
  namespace: string,
): Promise<Readonly<Record<string, number>> | null> {
  try {
    return (await connection.operatorService.listSearchAttributes({ namespace })).customAttributes;
  } catch (error) {
    if (isForOperators(error)) return null;
    throw error;
  }
}
