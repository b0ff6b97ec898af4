import {Flags} from '@oclif/core'
import {KkError} from '../base/errors.ts'
import {argument} from '../cli/argument.ts'
import {KkCommand} from '../cli/command.ts'
import {requireConfirmation, writeView} from '../cli/console.ts'
import {clusterFlags, documentFlags, environmentFlags, ownerFlags} from '../cli/flags.ts'
import {openChosenCluster} from '../cli/open/cluster.ts'
import {type Owner, openOwner} from '../cli/open/owner.ts'
import {changeFlags} from '../cli/run/flags.ts'
import {LEASE_SECONDS} from '../kubernetes/lease/lease.ts'
import {unlockDocument, unlockText} from '../report/unlock-text.ts'
import {whoAmI} from '../state/processes/who-am-i.ts'
import {planUnlock, unlock} from '../verbs/change/unlock.ts'

/** How long to wait for a Lease, in milliseconds: a Lease that is not renewed expires within this time. */
const LEASE_WAIT_MS = (LEASE_SECONDS + 15) * 1000

export default class Unlock extends KkCommand {
  static override summary = 'Mark a stuck pending revision as failed, so that the next deploy upgrades it.'
  static override description =
    'For a revision that kk cannot recover automatically, because plain helm was killed or another machine cannot be checked. kk deploy recovers what a killed kk left behind without this command. Shows the available evidence and asks for confirmation; without a terminal, --yes is required. Refuses while a process is working on the release. Never uninstalls anything.'
  static override usage = 'RELEASE --revision N [FILE] [FLAGS]'
  static override examples = [
    'Show the evidence; kk status shows the revision.\nkk unlock keystone --revision 3 --sandbox --dry-run',
    'kk unlock openstack/keystone --revision 3 --sandbox --yes',
  ]
  static override strict = false
  static override args = {
    release: argument({description: 'The release and the environment file, in any order.'}),
  }
  static override flags = {
    revision: Flags.integer({
      summary: 'The pending revision, which must be the latest.',
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
    const release = releaseArgument(owner)
    if (revision === undefined) throw noRevision(release)
    await using cluster = await openChosenCluster(flags, owner.environment)
    const whose = owner.isNamed ? owner.name : undefined
    const request = {release, revision, owner: whose, environment: owner.environment}
    const unlocking = await planUnlock(cluster, request)
    const print = (unlocked: boolean) => this.console.document(output, unlockDocument(unlocking, unlocked))
    const stream = isDry && output === 'text' ? 'stdout' : 'stderr'
    writeView(stream, unlockText(unlocking, cluster.context, this.console.palette(stream)))
    if (isDry) return print(false)
    if (!yes) {
      const hint = 'make sure that no helm process works on it, then pass --yes'
      await requireConfirmation(`mark revision ${revision} as failed?`, hint)
    }
    await unlock(cluster, unlocking, {
      holder: `${whoAmI()} (process ${process.pid}, kk unlock)`,
      patience: LEASE_WAIT_MS,
      onHeld: (by) => this.console.say(`held by ${by}: waiting for at most ${LEASE_WAIT_MS / 1000} s`),
    })
    this.console.say(
      `revision ${revision} of ${unlocking.record.release} is marked as failed; next: kk deploy`,
    )
    print(true)
  }
}

function releaseArgument({words}: Owner): string {
  const [release, second] = words
  if (release !== undefined && second === undefined) return release
  throw new KkError('KK_USAGE', `kk unlock works on one release, but got ${words.join(', ') || 'none'}`, {
    hint: 'for example: kk unlock keystone --revision 3',
  })
}

function noRevision(release: string): KkError {
  return new KkError('KK_USAGE', 'expected the pending revision: --revision N', {
    hint: `kk history ${release} shows it; it is required so that no other revision is unlocked`,
  })
}
