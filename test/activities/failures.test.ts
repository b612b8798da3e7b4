import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { asFailure, withFailures } from '../../activities/failures.ts';
import { type ErrorCode, TemperError } from '../../decisions/errors.ts';

const retryable = { 'backend-unavailable': true, 'no-room': true, 'store-unavailable': true };
const codes: readonly ErrorCode[] = [
  'invalid-input',
  'not-found',
  'job-refused',
  'backend-unavailable',
  'no-room',
  'store-unavailable',
  'store-unusable',
  'ledger-conflict',
  'checkpoint-damaged',
  'environment-unusable',
];

test.each(codes)('%s leaves as a failure of that type', (code) => {
  const error = new TemperError(code, 'one line', { details: { field: 'seed' } });
  const failure = asFailure(error);
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({
    type: code,
    message: 'one line',
    nonRetryable: !(code in retryable),
    details: [{ field: 'seed' }],
    cause: error,
  });
});

test.each([new Error('nobody foresaw it'), new CancelledFailure('cancelled'), 'a text'])(
  '%s is left as it is: Temporal retries what nobody foresaw, and knows its own',
  (error) => {
    expect(asFailure(error)).toBe(error);
  },
);

test('activities answer as before, and fail as failures', async () => {
  const activities = withFailures({
    double: (value: number) => Promise.resolve(2 * value),
    refuse: (): Promise<void> => Promise.reject(new TemperError('not-found', 'no recipe')),
  });
  expect(await activities.double(21)).toBe(42);
  await expect(activities.refuse()).rejects.toMatchObject({ type: 'not-found', nonRetryable: true, details: [] });
});
