/** The workflows that a worker serves. */
export { evaluateCheckpoint } from './evaluate.ts';
export { trainPhase } from './phase.ts';
export { postTrainingPipeline } from './pipeline.ts';
