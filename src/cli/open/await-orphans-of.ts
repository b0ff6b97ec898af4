import type {Cluster} from '../../cluster/cluster.ts'
import {awaitOrphans} from '../../verbs/change/await-orphans.ts'

/** Waits for the helms that dead runs of an environment have left at work on this machine, and says so. */
export async function awaitOrphansOf(cluster: Cluster, environment: string): Promise<void> {
  await awaitOrphans(cluster, {
    isConcerned: ({operation}) => operation?.environment === environment,
    say: (line) => void process.stderr.write(`${line}\n`),
  })
}
