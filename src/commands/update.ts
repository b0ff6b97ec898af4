import {KkCommand} from '../cli/command.ts'
import {releasesArgument} from '../cli/flags.ts'
import {changeInstalled} from '../cli/run/change.ts'
import {upgradeFlags} from '../cli/run/flags.ts'

export default class Update extends KkCommand {
  static override summary =
    'Change values, images and charts of installed releases, but no chart versions and no OpenStack release.'
  static override description =
    'If the version or the appVersion of a chart, or the OpenStack release of an image, differs from the cluster, changes nothing, exits 3, and reports each such release with the command to use instead. Otherwise like kk upgrade: in order, one release after another, and nothing is installed.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    'kk update environments/all-in-one.yaml --sandbox',
    'kk update environments/all-in-one.yaml keystone --sandbox --set keystone:images.tag=2025.1-debian-trixie',
  ]
  static override args = releasesArgument
  static override flags = upgradeFlags

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Update)
    process.exitCode = await changeInstalled('update', {flags, argv: argv as string[], console: this.console})
  }
}
