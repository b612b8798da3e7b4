/** What a worker fails with becomes the error, and so the exit code, of the command that asked. */
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { TemperError } from '../../../decisions/errors.ts';
import { asTemperError } from '../../../workers/cli/ask.ts';

const failure = (type: string, message: string) => ApplicationFailure.create({ type, message });
const ofActivity = (cause: Error) =>
  new ActivityFailure('Activity task failed', 'recordSteering', '1', 'MAXIMUM_ATTEMPTS_REACHED', 'worker', cause);

test.each([
  { title: 'of a workflow', error: failure('not-found', 'there is no phase "x"'), code: 'not-found' },
  {
    title: 'of an activity',
    error: ofActivity(failure('store-unavailable', 'the disk is away')),
    code: 'store-unavailable',
  },
  { title: 'of a message', error: failure('InvalidInput', 'set: no such field'), code: 'invalid-input' },
])('a failure $title keeps its code and its words', ({ error, code }) => {
  const found = asTemperError(error);
  expect(found).toBeInstanceOf(TemperError);
  expect(found).toMatchObject({ code, message: expect.not.stringContaining('Activity task failed') as string });
});

test('a failure of no known type stays what it is', () => {
  const error = failure('NotNow', 'phase "sft" is held already');
  expect(asTemperError(error)).toBe(error);
});
