import {KkCommand} from '../../cli/command.ts'
import {canAsk, confirm, requireConfirmation} from '../../cli/console.ts'
import {fileArgument} from '../../cli/flags.ts'
import {guardFlags, openGuarded} from '../../cli/guard.ts'
import {guardPlanText} from '../../report/guard-text.ts'
import {planGuard} from '../../verbs/guard.ts'

export default class GuardInstall extends KkCommand {
  static override summary =
    'Prevent the deletion of protected releases on the cluster, also by helm and kubectl.'
  static override description =
    'Creates a ValidatingAdmissionPolicy that denies unapproved deletion of StatefulSets, PersistentVolumeClaims, namespaces and deployed records of all protected releases on the cluster. Run it again after protecting another release.'
  static override examples = ['Show what would be guarded.\nkk guard install --sandbox --dry-run']
  static override args = fileArgument
  static override flags = guardFlags

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(GuardInstall)
    const guarded = await openGuarded(flags, argv as string[])
    await using cluster = guarded.cluster
    const plan = await planGuard(cluster, Date.now())
    const text = guardPlanText(
      plan,
      cluster.context,
      this.console.palette(flags['dry-run'] ? 'stdout' : 'stderr'),
    )
    if (flags['dry-run']) return this.console.print(text)
    this.console.say(text)
    const question = `install the guard on ${cluster.context}?`
    if (!flags.yes && plan.dropped.length > 0) await requireConfirmation(question, 'pass --yes')
    if (!flags.yes && plan.dropped.length === 0 && canAsk()) await confirm(question)
    await cluster.guard.install(plan.parameters, plan.resourceVersion)
    this.console.say('the guard is installed; to approve a deletion: kk guard approve RELEASE')
  }
}
