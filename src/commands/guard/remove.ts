import {KkCommand} from '../../cli/command.ts'
import {requireConfirmation} from '../../cli/console.ts'
import {fileArgument} from '../../cli/flags.ts'
import {guardFlags, openGuarded} from '../../cli/guard.ts'
import {guardStatusText} from '../../report/guard-text.ts'
import {guardStatus} from '../../verbs/guard.ts'

export default class GuardRemove extends KkCommand {
  static override summary = 'Remove the guard.'
  static override description =
    'Afterwards helm and kubectl can delete protected releases like any other; kk still refuses. Without a terminal, --yes is required.'
  static override examples = ['kk guard remove --sandbox --yes']
  static override args = fileArgument
  static override flags = guardFlags

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(GuardRemove)
    const guarded = await openGuarded(flags, argv as string[])
    await using cluster = guarded.cluster
    const status = await guardStatus(cluster, Date.now())
    this.console.say(guardStatusText(status, this.console.palette('stderr')))
    if (!status.installed || flags['dry-run']) return
    if (!flags.yes) await requireConfirmation(`remove the guard from ${cluster.context}?`, 'pass --yes')
    await cluster.guard.remove()
    this.console.say('the guard is removed')
  }
}
