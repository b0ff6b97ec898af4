import {Flags} from '@oclif/core'
import {seconds as secondsOf} from '../../base/duration.ts'
import {KkError} from '../../base/errors.ts'
import {KkCommand} from '../../cli/command.ts'
import {canAsk, confirm} from '../../cli/console.ts'
import {releasesArgument} from '../../cli/flags.ts'
import {guardFlags, openGuarded} from '../../cli/guard.ts'
import {approvalText} from '../../report/guard-text.ts'
import {whoAmI} from '../../state/processes/who-am-i.ts'
import {planApproval} from '../../verbs/guard.ts'

const MAX_VALIDITY_SECONDS = 24 * 3600

export default class GuardApprove extends KkCommand {
  static override summary = 'Allow the deletion of protected releases for a limited time.'
  static override description =
    'Approves the deletion of the StatefulSets, PersistentVolumeClaims and deployed record that each release has now, by UID: objects that are re-created are guarded again. The approval expires automatically. This command deletes nothing.'
  static override usage = '[FILE] RELEASE... [FLAGS]'
  static override examples = [
    'kk guard approve mariadb --sandbox --dry-run',
    'kk guard approve openstack/mariadb --for 1h --sandbox --dry-run',
  ]
  static override args = releasesArgument
  static override flags = {
    for: Flags.string({
      summary: 'How long the approval is valid, at most 24h.',
      helpValue: 'TIME',
      default: '15m',
    }),
    'with-namespaces': Flags.boolean({
      aliases: ['namespace'],
      summary:
        'Also approve the deletion of their namespaces; every protected release in a namespace must be named.',
    }),
    ...guardFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(GuardApprove)
    const seconds = parseValidity(flags.for)
    const guarded = await openGuarded(flags, argv as string[])
    await using cluster = guarded.cluster
    if (guarded.releases.length === 0) throw nothingNamed()
    const by = whoAmI()
    const plan = await planApproval(cluster, {
      names: guarded.releases,
      seconds,
      namespace: flags['with-namespaces'],
      by,
      now: Date.now(),
    })
    if (!plan) return this.console.say(`${cluster.context} has no guard: no approval is needed`)
    const text = approvalText(
      plan,
      cluster.context,
      this.console.palette(flags['dry-run'] ? 'stdout' : 'stderr'),
    )
    if (flags['dry-run']) return this.console.print(text)
    this.console.say(text)
    if (!flags.yes && canAsk()) await confirm('approve this?')
    await cluster.guard.approve(plan.approvals, plan.parameters, plan.resourceVersion)
    this.console.say(`approved for ${flags.for}`)
  }
}

function parseValidity(text: string): number {
  const seconds = secondsOf(text)
  if (seconds !== undefined && seconds <= MAX_VALIDITY_SECONDS) return seconds
  throw new KkError('KK_USAGE', `--for ${text}: expected a time of at most 24h, such as 15m`, {
    hint: 'for example: kk guard approve mariadb --for 15m',
  })
}

function nothingNamed(): KkError {
  return new KkError('KK_USAGE', 'expected the name of a protected release', {
    hint: 'list them with kk guard status; for example: kk guard approve mariadb',
  })
}
