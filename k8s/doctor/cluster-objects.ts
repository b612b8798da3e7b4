/** What doctor reads of a cluster's objects: the few fields that it judges. Shapes only. */
export interface Named {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface Claim extends Named {
  readonly spec: { readonly accessModes?: readonly string[]; readonly storageClassName?: string };
  readonly status?: { readonly phase?: string };
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export interface Node extends Named {
  readonly spec: { readonly unschedulable?: boolean; readonly taints?: readonly Taint[] };
  readonly status: {
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly conditions?: readonly Condition[];
  };
}

export interface Quota extends Named {
  readonly spec: { readonly scopes?: readonly string[]; readonly scopeSelector?: object };
  readonly status?: {
    readonly hard?: Readonly<Record<string, string>>;
    readonly used?: Readonly<Record<string, string>>;
  };
}

export interface LocalQueue extends Named {
  readonly spec: { readonly clusterQueue?: string };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface List<T> {
  readonly items: readonly T[];
}
