import {KkError} from '../../base/errors.ts'
import {KkCommand} from '../../cli/command.ts'
import {releasesArgument} from '../../cli/flags.ts'
import {namedByKolla} from '../../cli/kolla.ts'
import {change} from '../../cli/run/change.ts'
import {upgradeFlags} from '../../cli/run/flags.ts'
import {splitArguments} from '../../environment/choose.ts'
import {requirements} from '../../graph/requirements.ts'
import {namedReleases, type Prepared} from '../../prepare/prepare.ts'

export default class KollaBootstrap extends KkCommand {
  static override summary = "Install what services need before they run, by kolla's names of services."
  static override description =
    'kk upgrade --install for all that the releases of the services require, in order: the database, the message bus, the cache, the identity service. Databases and accounts of the services themselves are made by jobs of their releases, which kk kolla run installs.'
  static override usage = '[FILE] SERVICE... [FLAGS]'
  static override examples = ['kk kolla bootstrap keystone -e environments/all-in-one.yaml --sandbox']
  static override args = releasesArgument
  static override flags = upgradeFlags

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(KollaBootstrap)
    if (splitArguments(argv as string[]).releases.length === 0) {
      throw new KkError('KK_USAGE', 'expected the names of services, got none', {
        hint: 'for example: kk kolla bootstrap keystone',
      })
    }
    process.exitCode = await change({
      ...{verb: 'upgrade', flags, argv: argv as string[], console: this.console, startSandbox: false},
      scope: async (words, prepared) => {
        const names = required(await namedByKolla(words, prepared.environment), prepared)
        if (names.length > 0) return {names, install: true}
        this.console.say(`${words.join(', ')}: nothing is required`)
        return undefined
      },
    })
  }
}

/** Returns the environment's own releases that those of these names require, but for these themselves. */
function required(names: readonly string[], prepared: Prepared): readonly string[] {
  const named = namedReleases(prepared, names)
  return requirements(prepared.graph, named).filter(
    (release) => !named.includes(release) && prepared.releases.has(release),
  )
}
