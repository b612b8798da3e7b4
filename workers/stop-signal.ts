/** Ctrl-C as a value: the first one asks to stop, a second one asks to hurry. */

export interface StopSignal {
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly asked: AbortSignal;
  /** Aborted by the second. */
  readonly hurried: AbortSignal;
}

export function onStopSignal(source: NodeJS.EventEmitter): StopSignal {
  const asked = new AbortController();
  const hurried = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    source.on(signal, () => {
      (asked.signal.aborted ? hurried : asked).abort();
    });
  }
  return { asked: asked.signal, hurried: hurried.signal };
}
