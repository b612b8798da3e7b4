/**
 * `npm run test:browser [-- --pictures] [pattern …]`: the run's page in a real browser, against a real Temporal server and its Web UI.
 *
 * With `--pictures` the pictures of docs/images are made anew; else they lie in .temper/browser, to be looked at.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser } from './browser.ts';
import { runJest } from './jest.ts';
import { repository } from './repository.ts';

const testSeconds = 240;

const given = process.argv.slice(2);
const found = findBrowser(process.env);
if (found.kind === 'none') {
  console.error(`test:browser: ${found.because}`);
  // A setting that is wrong fails everywhere; a machine that has no browser is told apart (.ci/run).
  process.exit(process.env['TEMPER_CHROMIUM'] ? 78 : 69);
}

const pictures = given.includes('--pictures')
  ? join(repository, 'docs', 'images')
  : join(repository, '.temper', 'browser');
mkdirSync(pictures, { recursive: true });
process.exitCode = await runJest({
  project: 'browser',
  testSeconds,
  options: ['--runInBand'],
  patterns: given.filter((argument) => argument !== '--pictures'),
  environment: { ...process.env, TEMPER_CHROMIUM: found.path, TEMPER_PICTURES: pictures },
});
