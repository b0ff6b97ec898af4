import {Flags} from '@oclif/core'
import {KkError} from '../base/errors.ts'
import {argument} from '../cli/argument.ts'
import {KkCommand} from '../cli/command.ts'
import {requireConfirmation, tell} from '../cli/console.ts'
import {clusterFlags, documentFlags, environmentFlags, ownerFlags} from '../cli/flags.ts'
import {openChosenCluster} from '../cli/open/cluster.ts'
import {type Owner, openOwner} from '../cli/open/owner.ts'
import {changeFlags} from '../cli/run/flags.ts'
import {LEASE_SECONDS} from '../kubernetes/lease/lease.ts'
import {unlockDocument, unlockText} from '../report/unlock-text.ts'
import {whoAmI} from '../state/processes/who-am-i.ts'
import {planUnlock, unlock} from '../verbs/change/unlock.ts'

/** A Lease that nobody renews runs out within this time. */
const PATIENCE = (LEASE_SECONDS + 15) * 1000

export default class Unlock extends KkCommand {
  static override summary =
    'Mark a revision failed that was left pending, so that the next deploy upgrades it.'
  static override description =
    'For a revision of which kk cannot tell by itself that nobody works on it any more: plain helm was killed, or another machine is out of sight. What a killed kk has left is recovered by kk deploy alone. Shows what is known and asks; without a terminal it needs --yes. Refused while somebody is seen at work. Never uninstalls anything.'
  static override usage = 'RELEASE --revision N [FILE] [FLAGS]'
  static override examples = [
    'What is known of it; kk status names the revision.\nkk unlock keystone --revision 3 --sandbox --dry-run',
    'kk unlock openstack/keystone --revision 3 --sandbox --yes',
  ]
  static override strict = false
  static override args = {
    release: argument({description: 'The release, and the environment file, in any order.'}),
  }
  static override flags = {
    revision: Flags.integer({
      summary: 'The revision that was left pending: its last.',
      helpValue: 'N',
      min: 1,
    }),
    yes: changeFlags.yes,
    'dry-run': changeFlags['dry-run'],
    ...environmentFlags,
    ...ownerFlags,
    ...documentFlags,
    ...clusterFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Unlock)
    const {revision, output, yes, 'dry-run': isDry} = flags
    const owner = await openOwner(flags, argv as string[])
    const release = namedIn(owner)
    if (revision === undefined) throw noRevision(release)
    await using cluster = await openChosenCluster(flags, owner.environment)
    const whose = owner.isNamed ? owner.name : undefined
    const request = {release, revision, owner: whose, environment: owner.environment}
    const unlocking = await planUnlock(cluster, request)
    const print = (unlocked: boolean) => this.console.document(output, unlockDocument(unlocking, unlocked))
    const stream = isDry && output === 'text' ? 'stdout' : 'stderr'
    tell(stream, unlockText(unlocking, cluster.context, this.console.palette(stream)))
    if (isDry) return print(false)
    if (!yes) {
      const hint = 'be sure that no helm works on it, then pass --yes'
      await requireConfirmation(`mark revision ${revision} failed?`, hint)
    }
    await unlock(cluster, unlocking, {
      holder: `${whoAmI()} (process ${process.pid}, kk unlock)`,
      patience: PATIENCE,
      onHeld: (by) => this.console.say(`held by ${by}: waiting for at most ${PATIENCE / 1000} s`),
    })
    this.console.say(`revision ${revision} of ${unlocking.record.release} is marked failed; next: kk deploy`)
    print(true)
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
