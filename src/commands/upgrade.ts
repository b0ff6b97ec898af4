import {change} from '../cli/change/change.ts'
import {
  changeFlags,
  clusterFlags,
  environmentFlags,
  helmFlags,
  onFailureFlags,
  releasesArgument,
  reportFlags,
  streamFlags,
  valueFlags,
} from '../cli/flags.ts'
import {KkCommand} from '../cli/program/command.ts'

export default class Upgrade extends KkCommand {
  static override summary = 'Bring the named releases to what the environment says, and no others.'
  static override description =
    'What they require must be installed and healthy, and is not changed. Without names, all installed releases of the environment. --values and --set are not remembered: the next deploy without them takes their values back.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    '<%= config.bin %> upgrade environments/all-in-one.yaml keystone --sandbox',
    '<%= config.bin %> upgrade environments/all-in-one.yaml keystone --sandbox --set keystone:pod.replicas.api=2',
  ]
  static override strict = false
  static override args = releasesArgument
  static override flags = {
    ...environmentFlags,
    ...valueFlags,
    ...changeFlags,
    ...streamFlags,
    ...onFailureFlags,
    ...reportFlags,
    ...clusterFlags,
    ...helmFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Upgrade)
    const scope = (names: readonly string[]) => ({names, install: false})
    process.exitCode = await change({
      verb: 'upgrade',
      flags,
      argv: argv as string[],
      words: this.argv,
      scope,
      startSandbox: false,
    })
  }
}
