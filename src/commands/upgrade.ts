import {Flags} from '@oclif/core'
import {KkError} from '../base/errors.ts'
import {KkCommand} from '../cli/command.ts'
import {releasesArgument} from '../cli/flags.ts'
import {changeInstalled, driftScope, type NamedReleases} from '../cli/run/change.ts'
import {driftFlags, inClusterFlags, upgradeFlags, viaFlags} from '../cli/run/flags.ts'
import {splitArguments} from '../environment/choose.ts'

export default class Upgrade extends KkCommand {
  static override summary = 'Upgrade the named releases to the state of the environment, and no others.'
  static override description =
    'Applies changes of values, images, charts and chart versions. Upgrades one release after another in dependency order, each until its gate has passed; then every release that requires a changed one must pass its gate again. The requirements of the named releases must be installed and healthy, and are not changed. Without names, upgrades all installed releases of the environment. Nothing is installed, unless --install is given with the names. --values and --set are not stored: the next deploy without them reverts their values.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    'kk upgrade environments/all-in-one.yaml keystone --sandbox',
    'kk upgrade environments/all-in-one.yaml keystone --sandbox --set keystone:pod.replicas.api=2',
  ]
  static override args = releasesArgument
  static override flags = {
    ...upgradeFlags,
    ...driftFlags,
    ...inClusterFlags,
    ...viaFlags,
    install: Flags.boolean({summary: 'Install the named releases that are not installed.'}),
  }

  /** Maps the arguments to release names, in subclasses whose arguments are other names. */
  protected readonly named: NamedReleases | undefined = undefined

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Upgrade)
    const options = {flags, argv: argv as string[], console: this.console, named: this.named}
    const {install} = flags
    if (install && splitArguments(argv as string[]).releases.length === 0) {
      throw new KkError('KK_USAGE', 'expected the names of the releases to install, got none', {
        hint: 'pass release names; for the whole environment: kk deploy',
      })
    }
    process.exitCode = await changeInstalled('upgrade', options, {
      ...driftScope(flags),
      ...(install && {install}),
    })
  }
}
