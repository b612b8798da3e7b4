import { type ErrorCode, TemperError } from '../../decisions/errors.ts';
import { explained } from '../../workers/exit-codes.ts';

test.each<{ code: ErrorCode; want: number }>([
  { code: 'invalid-input', want: 2 },
  { code: 'not-found', want: 2 },
  { code: 'job-refused', want: 69 },
  { code: 'backend-unavailable', want: 69 },
  { code: 'no-room', want: 69 },
  { code: 'store-unavailable', want: 69 },
  { code: 'environment-unusable', want: 69 },
  { code: 'store-unusable', want: 73 },
  { code: 'ledger-conflict', want: 70 },
  { code: 'checkpoint-damaged', want: 65 },
])('$code is one line and exit code $want', ({ code, want }) => {
  expect(explained(new TemperError(code, 'one line'))).toEqual({ text: 'one line', exitCode: want });
});

test('what nobody foresaw comes with its stack', () => {
  expect(explained(new TypeError('x is undefined'))).toEqual({
    text: expect.stringMatching(/^TypeError: x is undefined\n {4}at /) as string,
    exitCode: 70,
  });
  expect(explained('a text')).toEqual({ text: 'a text', exitCode: 70 });
});
