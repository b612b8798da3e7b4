/** The workflows that a worker serves. */
export { askWorker } from './ask-worker.ts';
export { evaluateCheckpoint } from './evaluate.ts';
export { notifyPerson } from './notify.ts';
export { trainPhase } from './phase.ts';
export { postTrainingPipeline } from './pipeline.ts';
export { evalSweep } from './sweep.ts';
