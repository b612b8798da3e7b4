import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { startOrJoin } from '../../../workers/demo/start-or-join.ts';

const wish = {
  pipelineId: 'demo',
  taskQueue: 'temper',
  input: { recipe: 'tiny' },
  summary: 'The tiny recipe',
  details: 'Five phases',
};

/** A server whose newest run of the pipeline is in this state; `started` is what it was asked to start. */
function clientWith(describe: () => Promise<{ status: { name: string }; runId: string }>) {
  const started: unknown[] = [];
  const workflow = {
    getHandle: () => ({ describe }),
    start: (...request: unknown[]) => {
      started.push(request);
      return Promise.resolve({ firstExecutionRunId: 'new-run' });
    },
  };
  return { client: { workflow } as unknown as Client, started };
}
const runThatIs = (name: string) => clientWith(() => Promise.resolve({ status: { name }, runId: 'old-run' }));

test('an open run is joined', async () => {
  const { client, started } = runThatIs('RUNNING');
  expect(await startOrJoin(client, wish)).toEqual({ pipelineId: 'demo', runId: 'old-run', joined: true });
  expect(started).toEqual([]);
});

test.each(['COMPLETED', 'FAILED', 'CANCELLED', 'TERMINATED'])('after one that is %s a new one starts', async (name) => {
  const { client, started } = runThatIs(name);
  expect(await startOrJoin(client, wish)).toEqual({ pipelineId: 'demo', runId: 'new-run', joined: false });
  const texts = { staticSummary: 'The tiny recipe', staticDetails: 'Five phases' };
  expect(started).toEqual([
    ['postTrainingPipeline', { workflowId: 'demo', taskQueue: 'temper', args: [{ recipe: 'tiny' }], ...texts }],
  ]);
});

test('where there never was one, the first starts', async () => {
  const { client } = clientWith(() => Promise.reject(new WorkflowNotFoundError('not found', 'demo', undefined)));
  expect((await startOrJoin(client, wish)).joined).toBe(false);
});

test('a server that does not answer is no reason to start another', async () => {
  const { client, started } = clientWith(() => Promise.reject(new Error('unavailable')));
  await expect(startOrJoin(client, wish)).rejects.toThrow('unavailable');
  expect(started).toEqual([]);
});
