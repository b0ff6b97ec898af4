import {Flags} from '@oclif/core'
import {KkError} from '../base/errors.ts'
import {KkCommand} from '../cli/command.ts'
import {releasesArgument} from '../cli/flags.ts'
import {changeInstalled, driftScope, type NamedReleases} from '../cli/run/change.ts'
import {driftFlags, inClusterFlags, upgradeFlags, viaFlags} from '../cli/run/flags.ts'
import {splitArguments} from '../environment/choose.ts'

export default class Upgrade extends KkCommand {
  static override summary = 'Bring the named releases to what the environment says, and no others.'
  static override description =
    'Any change: values, images, charts and their versions. In the order of their requirements, one release after the other, each until its gate has passed; afterwards whatever requires a changed release must pass its gate again. What the named ones require must be installed and healthy, and is not changed. Without names, all installed releases of the environment. Nothing is installed, unless --install is given with the names. --values and --set are not remembered: the next deploy without them takes their values back.'
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
    install: Flags.boolean({summary: 'Install the named releases that are not there.'}),
  }

  /** The releases that the words of the command line mean, where they are not the names of such. */
  protected readonly named: NamedReleases | undefined = undefined

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Upgrade)
    const options = {flags, argv: argv as string[], console: this.console, named: this.named}
    const {install} = flags
    if (install && splitArguments(argv as string[]).releases.length === 0) {
      throw new KkError('KK_USAGE', 'expected the names of what is to be installed, got none', {
        hint: 'name releases; the whole environment: kk deploy',
      })
    }
    process.exitCode = await changeInstalled('upgrade', options, {
      ...driftScope(flags),
      ...(install && {install}),
    })
  }
}
