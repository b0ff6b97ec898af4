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

const LONGEST_SECONDS = 24 * 3600

export default class GuardApprove extends KkCommand {
  static override summary = 'Let protected releases be deleted for a while.'
  static override description =
    'Of each release its StatefulSets, claims and deployed record as they are now, by UID: what is made anew is guarded again. The approval ends by itself. Nothing is deleted by this command.'
  static override usage = '[FILE] RELEASE... [FLAGS]'
  static override examples = [
    'kk guard approve mariadb --sandbox --dry-run',
    'kk guard approve openstack/mariadb --for 1h --sandbox --dry-run',
  ]
  static override args = releasesArgument
  static override flags = {
    for: Flags.string({summary: 'How long, at most 24h.', helpValue: 'TIME', default: '15m'}),
    namespace: Flags.boolean({
      summary: 'Let their namespaces be deleted, too; every protected release in one must be named.',
    }),
    ...guardFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(GuardApprove)
    const seconds = lasting(flags.for)
    const guarded = await openGuarded(flags, argv as string[])
    await using cluster = guarded.cluster
    if (guarded.releases.length === 0) throw nothingNamed()
    const by = whoAmI()
    const plan = await planApproval(cluster, {
      names: guarded.releases,
      seconds,
      namespace: flags.namespace,
      by,
      now: Date.now(),
    })
    if (!plan) return this.console.say(`${cluster.context} has no guard: nothing needs an approval`)
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

function lasting(text: string): number {
  const seconds = secondsOf(text)
  if (seconds !== undefined && seconds <= LONGEST_SECONDS) return seconds
  throw new KkError('KK_USAGE', `--for ${text}: expected a time of at most 24h, such as 15m`, {
    hint: 'for example: kk guard approve mariadb --for 15m',
  })
}

function nothingNamed(): KkError {
  return new KkError('KK_USAGE', 'expected the name of a protected release', {
    hint: 'see them with kk guard status; for example: kk guard approve mariadb',
  })
}
