/** Without a server every command says so at once, and which one it looked for. */
import { temper } from '../../support/command-line.ts';
import { freePort } from '../../../scripts/free-ports.ts';

const port = String(await freePort());
const nowhere = { TEMPER_PORT: port, TEMPORAL_CONFIG_FILE: '/nowhere/temporal.toml' };

test.each([
  { words: ['status'] },
  { words: ['status', 'tiny'] },
  { words: ['start', 'tiny'] },
  { words: ['plan', 'tiny'] },
  { words: ['logs', 'tiny'] },
  { words: ['explain', 'tiny'] },
  { words: ['leaderboard', 'tiny'] },
  { words: ['compare', 'tiny/sft', 'tiny/orpo'] },
  { words: ['cancel', 'tiny'] },
  { words: ['hold', 'tiny'] },
  { words: ['release', 'tiny'] },
  { words: ['retry-phase', 'tiny'] },
  { words: ['skip-phase', 'tiny'] },
  { words: ['promote', 'tiny', 'sft-40'] },
  { words: ['extend-budget', 'tiny', '--attempts', '9'] },
  { words: ['reap'] },
  { words: ['link'] },
])('$words', async ({ words }) => {
  const { exitCode, output, errors } = await temper(words, { environment: nowhere });
  expect([exitCode, output, errors]).toEqual([
    69,
    '',
    `temper: no Temporal server answers at 127.0.0.1:${port}: start one with \`temper up\`, or name one with TEMPORAL_ADDRESS\n`,
  ]);
});

test('the address is read as by any Temporal program', async () => {
  const { exitCode, errors } = await temper(['status'], {
    environment: { ...nowhere, TEMPORAL_ADDRESS: `127.0.0.1:${String(await freePort())}` },
  });
  expect([exitCode, errors.includes(`127.0.0.1:${port}`)]).toEqual([69, false]);
});

test.each(['worker', 'up'])(
  '%s refuses a heartbeat that would hide a dead worker for long, with the reason',
  async (name) => {
    const environment = { ...nowhere, TEMPER_HEARTBEAT_SECONDS: '601' };
    for (const { exitCode, errors } of [
      await temper([name, '--heartbeat', '601'], { environment: nowhere }),
      await temper([name], { environment }),
    ])
      expect([exitCode, errors]).toEqual([
        2,
        expect.stringContaining(
          'It must be 600 at most: a cancel or a killed worker is noticed that much later.',
        ) as string,
      ]);
  },
);

test('settings of the client that cannot be used are bad input', async () => {
  const environment = { ...nowhere, TEMPORAL_TLS_CLIENT_CERT_PATH: '/nowhere/cert.pem', TEMPORAL_PROFILE: 'none' };
  const { exitCode, errors } = await temper(['status'], { environment });
  expect(exitCode).toBe(2);
  expect(errors).toMatch(/^temper: the settings of the Temporal client cannot be used: /);
});
