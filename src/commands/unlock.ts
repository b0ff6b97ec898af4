import {Args, Flags} from '@oclif/core'
import {KkCommand} from '../cli/command.ts'
import {changeFlags, clusterFlags, documentFlags, environmentFlags, ownerFlags} from '../cli/flags.ts'
import {unlockRelease} from '../cli/run/unlock.ts'

export default class Unlock extends KkCommand {
  static override summary =
    'Mark a revision failed that was left pending, so that the next deploy upgrades it.'
  static override description =
    'For a revision of which kk cannot tell by itself that nobody works on it any more: plain helm was killed, or another machine is out of sight. What a killed kk has left is recovered by kk deploy alone. Shows what is known and asks; without a terminal it needs --yes. Refused while somebody is seen at work. Never uninstalls anything.'
  static override usage = 'RELEASE --revision N [FILE] [FLAGS]'
  static override examples = [
    {
      description: 'What is known of it; kk status names the revision.',
      command: '<%= config.bin %> unlock keystone --revision 3 --sandbox --dry-run',
    },
    '<%= config.bin %> unlock openstack/keystone --revision 3 --sandbox --yes',
  ]
  static override strict = false
  static override args = {
    release: Args.string({description: 'The release, and the environment file, in any order.'}),
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
    await unlockRelease(flags, argv as string[], this.console)
  }
}
