/**
 * Activities say that they work while they do, so that a killed worker is noticed in seconds, however long they may take.
 *
 * Does not cover `awaitJob`, which tells what it sees.
 */
import { Context } from '@temporalio/activity';

type AnyActivity = (...input: never[]) => Promise<unknown>;

/** The same activities, beating every `seconds`. */
export function withHeartbeats<A extends { [K in keyof A]: AnyActivity }>(activities: A, seconds: number): A {
  const wrapped = Object.entries<AnyActivity>(activities).map(([name, run]) => {
    const beating = async (...input: never[]): Promise<unknown> => {
      const activity = Context.current();
      const timer = setInterval(() => {
        activity.heartbeat();
      }, seconds * 1000);
      try {
        return await run(...input);
      } finally {
        clearInterval(timer);
      }
    };
    return [name, beating] as const;
  });
  return Object.fromEntries(wrapped) as A;
}
