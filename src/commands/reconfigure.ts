import {KkCommand} from '../cli/command.ts'
import {releasesArgument} from '../cli/flags.ts'
import {changeInstalled} from '../cli/run/change.ts'
import {upgradeFlags} from '../cli/run/flags.ts'

export default class Reconfigure extends KkCommand {
  static override summary = 'Change values of installed releases, but no charts and no images.'
  static override description =
    'Pods are replaced only if their configuration has changed. If a chart or an image differs from the cluster, changes nothing, exits 3, and reports each such release with the command to use instead. Otherwise like kk upgrade: in order, one release after another, and nothing is installed.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    'kk reconfigure environments/all-in-one.yaml --sandbox',
    'kk reconfigure environments/all-in-one.yaml keystone --sandbox --set keystone:conf.keystone.token.expiration=3600',
  ]
  static override args = releasesArgument
  static override flags = upgradeFlags

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Reconfigure)
    process.exitCode = await changeInstalled('reconfigure', {
      flags,
      argv: argv as string[],
      console: this.console,
    })
  }
}
