/** The port to whoever is told: a webhook. Types only. */
import type { Profile } from '../configs/schema.ts';

export interface WebhookMessage {
  /** Where the profile says that its address is found. */
  readonly to: NonNullable<Profile['notify']>;
  readonly text: string;
  /** The same for each try of one message: receivers that know it drop doubles. */
  readonly key: string;
}

/** `problem` never holds the address: it is a secret. */
export type WebhookAnswer =
  | { readonly kind: 'sent' }
  /** It would be again: a wrong address, a message that is not taken. */
  | { readonly kind: 'refused'; readonly problem: string }
  /** It did not arrive. */
  | { readonly kind: 'unavailable'; readonly problem: string; readonly retryAfterSeconds: number | null }
  /** Nobody knows whether it arrived. */
  | { readonly kind: 'unanswered'; readonly problem: string };

export interface Webhook {
  /** Bounded in time; never throws for what the other side does. */
  send(message: WebhookMessage): Promise<WebhookAnswer>;
}
