/**
 * The API server's own record of who asked it for what: its audit log, kept for the users that are measured.
 *
 * A watch counts once, when it begins. Does not cover what a request cost.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';

export interface AuditPlaces {
  readonly policy: string;
  readonly log: string;
}

/** Of the API server, for a log of every request of ServiceAccounts outside of `kube-system`, where the controllers' own are. */
export function auditFlags({ policy, log }: AuditPlaces): readonly string[] {
  const rules = [
    { level: 'None', userGroups: ['system:serviceaccounts:kube-system'] },
    { level: 'Metadata', userGroups: ['system:serviceaccounts'] },
    { level: 'None' },
  ];
  const document = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'], rules };
  writeFileSync(policy, stringify(document));
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, '--audit-log-mode=batch'];
}

export interface AuditedRequest {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly user: string;
  /** As Kubernetes has them: `create`, `get`, `list`, `watch`, `update`, `patch`, `delete`. */
  readonly verb: string;
  /** With its subresource: `pods/log`. */
  readonly resource: string;
}

interface AuditEvent {
  readonly stage: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly requestReceivedTimestamp: string;
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
}

/** Each request once: at its end, or for a watch when it has begun to answer. */
export function readAudit(text: string): readonly AuditedRequest[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ stage, verb }) => stage === (isLong(verb) ? 'ResponseStarted' : 'ResponseComplete'))
    .map(({ verb, user, requestReceivedTimestamp, objectRef }) => ({
      at: Date.parse(requestReceivedTimestamp),
      user: user.username,
      verb,
      resource: [objectRef?.resource, objectRef?.subresource].filter(Boolean).join('/'),
    }));
}

const isLong = (verb: string) => verb === 'watch';

export function readAuditLog({ log }: AuditPlaces): readonly AuditedRequest[] {
  const text = readFileSync(log, 'utf8');
  return readAudit(text.slice(0, text.lastIndexOf('\n') + 1));
}

/** How many there were of each, such as `create jobs`, the most frequent first. */
export function countRequests(requests: readonly AuditedRequest[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { verb, resource } of requests) {
    const name = `${verb} ${resource}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return new Map([...counts].sort(([, one], [, other]) => other - one));
}

export const isWrite = ({ verb }: Pick<AuditedRequest, 'verb'>): boolean => !['get', 'list', 'watch'].includes(verb);
