/** Options of the commands that are workers: `temper worker` and `temper up`. */
import { InvalidArgumentError, Option } from 'commander';
import { mostHeartbeatSeconds } from '../heartbeat.ts';
import { portNumber, wholeNumber } from './options.ts';

export const healthPortOption = (): Option =>
  new Option(
    '--health-port <port>',
    'serve /healthz, /readyz and /metrics (Prometheus) there, on every address of the machine and without a password; nowhere unless named',
  )
    .env('TEMPER_HEALTH_PORT')
    .argParser(portNumber);

/** Where it is served, for whoever asked for it. */
export const healthText = (port: number): string => `http://127.0.0.1:${String(port)} (/healthz, /readyz, /metrics)`;

export const heartbeatOption = (usualSeconds: number): Option =>
  new Option(
    '--heartbeat <seconds>',
    'how often a watched job is told to Temporal, at most: a cloud bills each, and a cancel or a killed worker is noticed the later',
  )
    .env('TEMPER_HEARTBEAT_SECONDS')
    .argParser(heartbeatSeconds)
    .default(usualSeconds);

function heartbeatSeconds(text: string): number {
  const seconds = wholeNumber(text);
  if (seconds <= mostHeartbeatSeconds) return seconds;
  throw new InvalidArgumentError(
    `It must be ${String(mostHeartbeatSeconds)} at most: a cancel or a killed worker is noticed that much later.`,
  );
}
