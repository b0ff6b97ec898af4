import {KkError} from '../base/errors.ts'
import {KkCommand} from '../cli/command.ts'
import {wholeEnvironmentArgument} from '../cli/flags.ts'
import {change, driftScope} from '../cli/run/change.ts'
import {deployFlags, driftFlags, inClusterFlags, prepullFlags, viaFlags} from '../cli/run/flags.ts'
import {splitArguments} from '../environment/choose.ts'

export default class Deploy extends KkCommand {
  static override summary = 'Bring an environment to the cluster: install and upgrade what differs, in order.'
  static override description =
    'Everything that the environment wants and requires, each release when what it requires is healthy, as much at once as the order allows. Releases whose inputs did not change are left as they are. Nothing is ever uninstalled. With --sandbox the throwaway cluster is started when it does not run.'
  static override usage = '[FILE] [FLAGS]'
  static override examples = [
    'kk deploy environments/all-in-one.yaml --sandbox',
    'What would be done.\nkk deploy environments/all-in-one.yaml --sandbox --dry-run',
    'In a pipeline.\nkk deploy environments/all-in-one.yaml --sandbox --yes --output ndjson',
    'With results for a pipeline, and a page to look at.\nkk deploy environments/all-in-one.yaml --sandbox --yes --report junit=kk.xml --report html=kk.html',
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
