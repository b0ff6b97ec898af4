import {hostname, userInfo} from 'node:os'
import type {Cluster} from '../../cluster/cluster.ts'
import {LEASE_SECONDS} from '../../cluster/lease/lease.ts'
import {KkError} from '../../errors.ts'
import {documentText} from '../../report/document.ts'
import {goingOf, prunedText, pruneText} from '../../report/drift/prune-text.ts'
import {type Pruning, planPrune, prune} from '../../verbs/removal/prune.ts'
import {canAsk, confirm} from '../confirm/confirm.ts'
import type {Owner} from '../open/owner.ts'
import {paletteOf} from '../show/streams.ts'

export interface PruneFlags {
  readonly output: 'text' | 'json' | 'yaml'
  readonly yes: boolean
  readonly 'dry-run': boolean
  readonly 'no-wait': boolean
}

/** A Lease that nobody renews runs out within this time. */
const PATIENCE = (LEASE_SECONDS + 15) * 1000

/** Shows what failed revisions have left behind, asks, and deletes what may go. */
export async function pruneLeftovers(
  cluster: Cluster,
  owner: Owner,
  {flags, words}: {readonly flags: PruneFlags; readonly words: readonly string[]},
): Promise<void> {
  const prunings = await planPrune(cluster, {names: owner.words, owner: owner.name})
  const isDry = flags['dry-run']
  const stream = isDry && flags.output === 'text' ? 'stdout' : 'stderr'
  process[stream].write(pruneText(prunings, paletteOf(stream, words)))
  const going = goingOf(prunings)
  const print = (deleted: readonly Pick<Pruning, 'release' | 'leftovers'>[]) => {
    if (flags.output === 'text') return
    const document = {environment: owner.name ?? null, releases: prunings, deleted}
    process.stdout.write(documentText(document, flags.output))
  }
  if (isDry || going.length === 0) return print([])
  if (!flags.yes) await confirmPrune(cluster)
  const patience = flags['no-wait'] ? 0 : PATIENCE
  const deleted: Pick<Pruning, 'release' | 'leftovers'>[] = []
  for (const pruning of going) {
    const {release} = pruning
    const leftovers = await prune(cluster, pruning, {
      holder: `${userInfo().username}@${hostname()} (process ${process.pid}, kk drift --prune)`,
      patience,
      onHeld: (by) => void process.stderr.write(`${release} is held by ${by}: waiting\n`),
    })
    deleted.push({release, leftovers})
    process.stderr.write(`${prunedText({release, leftovers})}\n`)
  }
  print(deleted)
}

async function confirmPrune({context}: Cluster): Promise<void> {
  if (canAsk()) return confirm(`delete these objects on ${context}?`)
  throw new KkError('KK_UNCONFIRMED', 'nobody can be asked here; nothing was changed', {
    hint: 'look at the list above, then pass --yes',
  })
}
