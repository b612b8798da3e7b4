/** What a person is told who asks for something that cannot be: its words alone, without the stack that would bury them. */
import { ApplicationFailure } from '@temporalio/workflow';

type Refusal = Omit<Parameters<typeof ApplicationFailure.create>[0], 'nonRetryable'>;

export function refusal(options: Refusal): ApplicationFailure {
  const failure = ApplicationFailure.create({ ...options, nonRetryable: true });
  failure.stack = '';
  return failure;
}
