/** What the log of a rank is called in its job's directory. Ranks are pods of a cluster, each with a log; processes of one machine share the first. */
export function logName(rank: number): string {
  return rank === 0 ? 'log.txt' : `log-${String(rank)}.txt`;
}
