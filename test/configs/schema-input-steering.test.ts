/** What a person may send to a running pipeline. */
import { retryPhaseInputSchema } from '../../configs/schema-input-steering.ts';

test('a retry sets so much at most, since it stays in the history of the run', () => {
  const of = (length: number) => ({ set: { 'params.command': 'x'.repeat(length) } });
  expect(retryPhaseInputSchema.safeParse(of(9000)).success).toBe(true);
  expect(retryPhaseInputSchema.safeParse(of(10_000)).error?.issues).toMatchObject([
    {
      path: ['set'],
      message: expect.stringMatching(/^is longer than 10000 characters: write it into a recipe/) as string,
    },
  ]);
});
