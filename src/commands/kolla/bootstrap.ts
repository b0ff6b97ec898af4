import {KkError} from '../../base/errors.ts'
import {KkCommand} from '../../cli/command.ts'
import {releasesArgument} from '../../cli/flags.ts'
import {releasesByKollaName} from '../../cli/kolla.ts'
import {change} from '../../cli/run/change.ts'
import {upgradeFlags} from '../../cli/run/flags.ts'
import {splitArguments} from '../../environment/choose.ts'
import {requirements} from '../../graph/requirements.ts'
import {namedReleases, type Prepared} from '../../prepare/prepare.ts'

export default class KollaBootstrap extends KkCommand {
  static override summary = "Install the prerequisites of services, by kolla's service names."
  static override description =
    'Runs kk upgrade --install for everything that the releases of the services require, in order: the database, the message bus, the cache, the identity service. The databases and accounts of the services are created by Jobs of their own releases, which kk kolla run installs.'
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
        const names = requiredReleases(await releasesByKollaName(words, prepared.environment), prepared)
        if (names.length > 0) return {names, install: true}
        this.console.say(`${words.join(', ')}: nothing is required`)
        return undefined
      },
    })
  }
}

/** Returns the releases of the environment that the named releases require, without the named ones. */
function requiredReleases(names: readonly string[], prepared: Prepared): readonly string[] {
  const named = namedReleases(prepared, names)
  return requirements(prepared.graph, named).filter(
    (release) => !named.includes(release) && prepared.releases.has(release),
  )
}
