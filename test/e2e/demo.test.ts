/** The demo program as a person runs it: Ctrl-C in the middle, again to the end, and once more. */
import { join } from 'node:path';
import { openSqliteLedger } from '../../store/ledger/sqlite.ts';
import { runDirectory } from '../../store/run-directory.ts';
import { createRunStore } from '../../store/run-store.ts';
import { demoPlace, type DemoPlace } from '../support/demo-program.ts';
import { eventually } from '../support/eventually.ts';
import { processesOf } from '../../scripts/processes-of-store.ts';
import { careless, recipeText, shortRecipe, shortened } from '../support/short-recipe.ts';

const judged = {
  'phases.sft.evaluate': { benchmarks: ['addition'], seeds: 1, maxSeeds: 1 },
  'phases.sft.gate': shortened['phases.sft.gate'],
};
let place: DemoPlace;

beforeAll(async () => {
  // Long enough that Ctrl-C lands between the first checkpoint and the end.
  const changes = { ...careless, ...judged, 'phases.sft.params.steps': 100 };
  place = await demoPlace(recipeText(await shortRecipe(['base', 'sft'], changes)));
});
afterAll(() => place.close());

async function attemptsOf(phase: string) {
  const ledger = await openSqliteLedger(join(place.store, 'ledger.sqlite'));
  try {
    return await ledger.attemptsOf({ workflowId: 'demo', phase });
  } finally {
    await ledger.close();
  }
}

describe('the demo program', () => {
  it('ends on Ctrl-C with 130, and leaves no process and the pipeline open', async () => {
    const run = place.start();
    const directory = runDirectory(place.store, { pipeline: 'demo', phase: 'sft', purpose: 'train', number: 1 });
    const runs = createRunStore(place.store);
    await eventually('sft has a complete checkpoint', 600, async () => {
      const checkpoints = await runs.checkpoints(directory).catch(() => []);
      return checkpoints.some(({ level }) => level === 'complete');
    });
    expect((await processesOf(place.store)).length).toBeGreaterThan(2);
    run.signal('SIGINT');
    const { code, out, error } = await run.ended;
    expect({ code, error }).toEqual({ code: 130, error: '' });
    expect(out).toContain('The pipeline stays open.');
    expect(await processesOf(place.store)).toEqual([]);
  });

  it('goes on when it is run again, from a step that was saved, to the leaderboard in plain lines', async () => {
    const { code, out, error } = await place.start().ended;
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toMatch(/^Going on with the pipeline: http/);
    const [first, second, ...more] = await attemptsOf('sft');
    expect(more).toEqual([]);
    expect([first?.state, second?.state]).toEqual(['failed', 'completed']);
    const { resume } = second?.request as { resume: { step: number } | null };
    expect(resume?.step).toBeGreaterThan(0);
    expect((await attemptsOf('base')).map(({ state }) => state)).toEqual(['completed']);

    expect(out).toMatch(/phase +step +benchmark +n +mean +95 % .*tokens +cut +run, s +verdict/);
    expect(out).toMatch(/^sft +100 +addition +20×2 .* promoted$/m);
    expect(out).toMatch(/^Why:$/m);
    // eslint-disable-next-line no-control-regex -- what must not be there: control sequences of a terminal
    expect(out).not.toMatch(/\u001b/);
    expect(await processesOf(place.store)).toEqual([]);
  });

  it('reuses everything when it is run after the end, and says so', async () => {
    const { code, out, error } = await place.start().ended;
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toMatch(/^Started the pipeline: http/);
    for (const phase of ['base', 'sft'])
      expect(out).toMatch(new RegExp(`^${phase}: reused, .*demo \\(phase ${phase},`, 'm'));
    expect(out).toMatch(/^sft +100 +addition .* promoted$/m);
    expect(await attemptsOf('sft')).toHaveLength(2);
    expect(await processesOf(place.store)).toEqual([]);
  });
});
