/** The script that pods with roles run, run by the shell of this machine: a pod's index is a variable of its environment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { roleCommand } from '../../k8s/role-script.ts';

const say = (text: string) => ['sh', '-c', `echo ${text} "$TEMPER_ROLE" "$TEMPER_ROLE_INDEX" "$@"`, 'sh'];

function start(index: number, engine: readonly string[], trainer: readonly string[] = say('trains')) {
  const [program = '', ...args] = roleCommand({
    command: {
      argv: trainer,
      env: {},
      workingDirectory: '/',
      image: null,
      roles: [{ name: 'engine', argv: engine, env: { QUOTED: "it's $HOME" } }],
    },
    roles: [
      { name: 'trainer', first: 0, count: 2 },
      { name: 'engine', first: 2, count: 2 },
    ],
    jobName: 'j',
    service: 's',
  });
  const child = spawn(program, args, { env: { ...process.env, JOB_COMPLETION_INDEX: String(index) } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number,
    signal: signal as string,
    output,
  }));
  const heard = async (text: string) => {
    while (!output.includes(text)) await once(child.stdout, 'data');
  };
  return { child, ended, heard };
}

test('a trainer takes the place of the shell, and its arguments arrive as they are', async () => {
  const words = ["it's", '$HOME', '`date`', '$(date)', '"', '\\', 'a  b', '', '*', '-n', 'new\nline'];
  const { ended } = start(1, ['false'], [...say('trains'), ...words]);
  expect(await ended).toMatchObject({ code: 0, output: `trains trainer 1 ${words.join(' ')}\n` });
  const { child, ended: end } = start(0, ['false'], ['sh', '-c', 'echo $$; exec sleep 60']);
  child.stdout.once('data', (pid: Buffer) => {
    expect(Number(pid.toString())).toBe(child.pid);
    child.kill('SIGTERM');
  });
  expect(await end).toMatchObject({ signal: 'SIGTERM' });
});

test.each([
  { title: 'with 0', engine: 'exit 0', code: 70, says: 'error: role engine ended by itself with exit code 0' },
  { title: 'with a code', engine: 'echo no; exit 3', code: 3, says: 'no' },
  { title: 'by a signal', engine: 'kill -9 $$', code: 137, says: '' },
  { title: 'as it is no program', engine: null, code: 127, says: 'not found' },
])('an engine that ends by itself fails: $title', async ({ engine, code, says }) => {
  const { ended } = start(2, engine === null ? ['no-such-engine'] : ['sh', '-c', engine]);
  const end = await ended;
  expect(end.code).toBe(code);
  expect(end.output).toContain(says);
});

test.each([
  { title: 'that saves', trap: 'sleep 0.2; echo saved; exit 75', code: 75, says: 'saved' },
  { title: 'that ends with 0', trap: 'exit 0', code: 0, says: '' },
])('SIGTERM reaches an engine $title', async ({ trap, code, says }) => {
  const engine = start(3, ['sh', '-c', `trap '${trap}' TERM; echo "ready $QUOTED"; while true; do sleep 0.05; done`]);
  await engine.heard("ready it's $HOME");
  engine.child.kill('SIGTERM');
  const end = await engine.ended;
  expect([end.code, end.output.includes(says), end.output.includes('ended by itself')]).toEqual([code, true, false]);
});
