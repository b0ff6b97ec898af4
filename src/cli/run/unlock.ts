import {LEASE_SECONDS} from '../../cluster/lease/lease.ts'
import {KkError} from '../../errors.ts'
import {documentText} from '../../report/document.ts'
import {unlockDocument, unlockText} from '../../report/unlock-text.ts'
import {whoAmI} from '../../state/processes/who-am-i.ts'
import {planUnlock, unlock} from '../../verbs/change/unlock.ts'
import {type Console, requireConfirmation, tell} from '../console.ts'
import {openChosenCluster} from '../open/cluster.ts'
import {type Owner, type OwnerFlags, openOwner} from '../open/owner.ts'

export interface UnlockFlags extends OwnerFlags {
  readonly revision?: number | undefined
  readonly yes: boolean
  readonly 'dry-run': boolean
  readonly output: 'text' | 'json' | 'yaml'
  readonly sandbox?: boolean | undefined
  readonly 'sandbox-name'?: string | undefined
}

/** A Lease that nobody renews runs out within this time. */
const PATIENCE = (LEASE_SECONDS + 15) * 1000

/** Shows what is known of a pending release, asks, and marks its revision failed. */
export async function unlockRelease(
  flags: UnlockFlags,
  argv: readonly string[],
  console: Console,
): Promise<void> {
  const owner = await openOwner(flags, argv)
  const release = namedIn(owner)
  const {revision} = flags
  if (revision === undefined) throw noRevision(release)
  const cluster = await openChosenCluster(flags, owner.environment, {start: false, say: () => undefined})
  try {
    const whose = owner.isNamed ? owner : undefined
    const request = {release, revision, owner: whose?.name, environment: owner.environment}
    const unlocking = await planUnlock(cluster, request)
    const isDry = flags['dry-run']
    const print = (unlocked: boolean) => {
      if (flags.output === 'text') return
      process.stdout.write(documentText(unlockDocument(unlocking, unlocked), flags.output))
    }
    const stream = isDry && flags.output === 'text' ? 'stdout' : 'stderr'
    process[stream].write(unlockText(unlocking, cluster.context, console.palette(stream)))
    if (isDry) return print(false)
    if (!flags.yes) {
      const hint = 'be sure that no helm works on it, then pass --yes'
      await requireConfirmation(`mark revision ${revision} failed?`, hint)
    }
    const say = (line: string) => tell('stderr', `${line}\n`)
    await unlock(cluster, unlocking, {
      holder: `${whoAmI()} (process ${process.pid}, kk unlock)`,
      patience: PATIENCE,
      onHeld: (by) => say(`held by ${by}: waiting for at most ${PATIENCE / 1000} s`),
    })
    say(`revision ${revision} of ${unlocking.record.release} is marked failed; next: kk deploy`)
    print(true)
  } finally {
    await cluster.close()
  }
}

function namedIn({words}: Owner): string {
  const [release, second] = words
  if (release !== undefined && second === undefined) return release
  throw new KkError('KK_USAGE', `kk unlock works on one release, but got ${words.join(', ') || 'none'}`, {
    hint: 'for example: kk unlock keystone --revision 3',
  })
}

function noRevision(release: string): KkError {
  return new KkError('KK_USAGE', 'expected the revision that was left pending: --revision N', {
    hint: `see it with kk history ${release}; it is named so that nothing else is unlocked`,
  })
}
