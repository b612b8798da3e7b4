/**
 * Says whether a directory lies on a network filesystem.
 *
 * Covers Linux by the magic numbers of statfs. Elsewhere it answers null: it cannot tell.
 */
import { statfs } from 'node:fs/promises';

/** From linux/magic.h and the filesystems' own sources. FUSE counts: sshfs, s3fs and the like have no locks to rely on. */
const networkTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x65735546, 'FUSE'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'kAFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
  [0x7461636f, 'OCFS2'],
  [0x01161970, 'GFS2'],
]);

/** The filesystem's name, or null when it is local or unknown. */
export async function networkFilesystem(directory: string): Promise<string | null> {
  if (process.platform !== 'linux') return null;
  const { type } = await statfs(directory);
  return networkTypes.get(type >>> 0) ?? null;
}
