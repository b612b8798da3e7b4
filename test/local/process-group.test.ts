import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { membersOf } from '../../local/process-group.ts';
import { identityOf, type ProcessIdentity } from '../../local/process-identity.ts';

/** A group whose leader has gone and whose member lives on. */
async function leaderlessGroup(): Promise<{ leader: ProcessIdentity; member: number; end: () => void }> {
  const shell = spawn('sh', ['-c', 'sleep 60 & echo $!; read -r go'], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const [text] = (await once(shell.stdout, 'data')) as [Buffer];
  const leader = await identityOf(shell.pid ?? 0);
  if (leader === null) throw new Error('the leader is gone');
  shell.stdin.end();
  shell.stdout.destroy();
  await once(shell, 'exit');
  const member = Number(text.toString());
  return { leader, member, end: () => void process.kill(member, 'SIGKILL') };
}

test('what a dead leader left in its group belongs to the job', async () => {
  const { leader, member, end } = await leaderlessGroup();
  expect(await membersOf({ leader, token: 'none' })).toEqual([member]);
  end();
});

test('a group of the same number after the machine was restarted is a stranger', async () => {
  const { leader, end } = await leaderlessGroup();
  expect(await membersOf({ leader: { ...leader, boot: 'an earlier one' }, token: 'none' })).toEqual([]);
  end();
});
