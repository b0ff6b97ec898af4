import {KkError} from '../base/errors.ts'
import {KkCommand} from '../cli/command.ts'
import {wholeEnvironmentArgument} from '../cli/flags.ts'
import {change, driftScope} from '../cli/run/change.ts'
import {deployFlags, driftFlags, inClusterFlags, prepullFlags, viaFlags} from '../cli/run/flags.ts'
import {splitArguments} from '../environment/choose.ts'

export default class Deploy extends KkCommand {
  static override summary =
    'Deploy an environment: install and upgrade the releases that differ, in dependency order.'
  static override description =
    'Installs and upgrades the releases of the environment and everything they require. A release starts when its requirements are healthy; releases that do not depend on each other run in parallel. Releases whose inputs have not changed are skipped. Nothing is ever uninstalled. With --sandbox, the throwaway cluster is started if it is not running.'
  static override usage = '[FILE] [FLAGS]'
  static override examples = [
    'kk deploy environments/all-in-one.yaml --sandbox',
    'Show what would be done.\nkk deploy environments/all-in-one.yaml --sandbox --dry-run',
    'In a pipeline.\nkk deploy environments/all-in-one.yaml --sandbox --yes --output ndjson',
    'With test results for a pipeline, and an HTML report.\nkk deploy environments/all-in-one.yaml --sandbox --yes --report junit=kk.xml --report html=kk.html',
  ]
  static override args = wholeEnvironmentArgument
  static override strict = false
  static override flags = {...deployFlags, ...driftFlags, ...prepullFlags, ...inClusterFlags, ...viaFlags}

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Deploy)
    const {releases} = splitArguments(argv as string[])
    if (releases.length > 0)
      throw new KkError('KK_USAGE', `kk deploy takes the whole environment, but got ${releases.join(', ')}`, {
        hint: `for single releases: kk upgrade ${releases.join(' ')}`,
      })
    process.exitCode = await change({
      verb: 'deploy',
      flags,
      argv: argv as string[],
      console: this.console,
      scope: () => ({names: [], install: true, ...driftScope(flags)}),
      startSandbox: true,
    })
  }
}
