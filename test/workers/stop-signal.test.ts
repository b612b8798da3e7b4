import { EventEmitter } from 'node:events';
import { onStopSignal } from '../../workers/stop-signal.ts';

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('%s asks to stop, a second signal of any kind to hurry', (signal) => {
  const source = new EventEmitter();
  const { asked, hurried } = onStopSignal(source);
  expect([asked.aborted, hurried.aborted]).toEqual([false, false]);
  source.emit(signal);
  expect([asked.aborted, hurried.aborted]).toEqual([true, false]);
  source.emit('SIGINT');
  expect([asked.aborted, hurried.aborted]).toEqual([true, true]);
});
