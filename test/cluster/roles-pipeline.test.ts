/** A pipeline whose trainer is served by an engine: the engine's watchdog ends the first attempt, the second one is done with the trainer. */
import { sentenceOfClass } from '../../decisions/sentences.ts';
import { makePipelineBed, type PipelineBed } from './pipeline-bed.ts';
import { readTestCluster } from './test-bed.ts';

let bed: PipelineBed;

beforeAll(async () => {
  bed = await makePipelineBed(readTestCluster(), 'roles-pipeline', { tuned: { roles: { engine: 1 } } });
});
afterAll(() => bed.close());

/** Of the first attempt, an engine that is ended by its watchdog as the first process of its container is: with 0. */
const engine = `
import socket, sys
if sys.argv[1] == "1":
    print("TP0 watchdog timeout (self.watchdog_timeout=300, self.soft=False)", flush=True)
    sys.exit(0)
server = socket.create_server(("", 9000))
while True:
    server.accept()[0].close()
`;
/** Trains nothing: what it leaves is an adapter that does something. */
const trainer = `
import json, os, pathlib, signal, socket, sys, time
import numpy
from safetensors.numpy import save_file
signal.signal(signal.SIGTERM, lambda *_: sys.exit(75))
while True:
    try:
        socket.create_connection((os.environ["TEMPER_HOSTS_ENGINE"], 9000), 2).close()
        break
    except OSError:
        time.sleep(0.2)
folder = pathlib.Path(sys.argv[1], "checkpoint-2")
folder.mkdir()
factors = [("A", (1, 2)), ("B", (2, 1))]
tensors = dict(("base_model.model.x.lora_" + name + ".weight", numpy.ones(shape, "float32")) for name, shape in factors)
save_file(tensors, folder / "adapter_model.safetensors")
(folder / "adapter_config.json").write_text(json.dumps(dict(peft_type="LORA")))
(folder / "trainer_state.json").write_text(json.dumps(dict(global_step=2, log_history=[])))
print("step 2", flush=True)
`;

const recipe = {
  name: 'served',
  model: { tiny: { seed: 1 } },
  phases: [
    { name: 'base', kind: 'base', params: { steps: 2, checkpointEvery: 2 } },
    {
      name: 'tuned',
      kind: 'command',
      params: {
        command: ['python', '-c', trainer, '{output}'],
        roles: { engine: { command: ['python', '-c', engine, '{attempt}'] } },
        steps: 2,
        checkpointEvery: 2,
        checkpoints: { format: 'peft' },
        progress: { pattern: String.raw`step (?<step>\d+)` },
      },
    },
  ],
  onFailure: 'fail',
};

test('an engine that goes is named, and the phase is done when the trainer is', async () => {
  const { onCluster } = bed;
  const pipeline = await onCluster.start('served', { recipe });
  const ended = await pipeline.result();
  expect(ended.promoted.map(({ outcome }) => outcome.state)).toEqual(['completed', 'completed']);
  const attempts = await onCluster.ledger.attemptsOf({ workflowId: 'served', phase: 'tuned' });
  expect(attempts.map(({ number, state }) => [number, state])).toEqual([
    [1, 'failed'],
    [2, 'completed'],
  ]);
  const incidents = await onCluster.ledger.incidentsOf({ runId: pipeline.firstExecutionRunId, phase: 'tuned' });
  expect(incidents.map((incident) => sentenceOfClass(incident.class, incident.because))).toEqual([
    'engine-watchdog: engine 0 said "TP0 watchdog timeout (self.watchdog_timeout=300, self.soft=False)".',
  ]);
});
