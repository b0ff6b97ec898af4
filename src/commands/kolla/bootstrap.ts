import {KkCommand} from '../../cli/command.ts'
import {releasesArgument} from '../../cli/flags.ts'
import {openGraph} from '../../cli/open/open.ts'
import {changeInstalled} from '../../cli/run/change.ts'
import {upgradeFlags} from '../../cli/run/flags.ts'
import {KkError} from '../../errors.ts'
import {releaseOf} from '../../exchange/kolla/microservices.ts'
import {requirements} from '../../graph/requirements.ts'
import {namedReleases} from '../../verbs/preparation/prepare.ts'

export default class KollaBootstrap extends KkCommand {
  static override summary = "Install what services need before they run, by kolla's names of services."
  static override description =
    'kk upgrade --install for all that the releases of the services require, in order: the database, the message bus, the cache, the identity service. Databases and accounts of the services themselves are made by jobs of their releases, which kk kolla run installs.'
  static override usage = '[FILE] SERVICE... [FLAGS]'
  static override examples = [
    '<%= config.bin %> kolla bootstrap keystone -e environments/all-in-one.yaml --sandbox',
  ]
  static override strict = false
  static override args = releasesArgument
  static override flags = upgradeFlags

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(KollaBootstrap)
    const {prepared, releases} = await openGraph(flags, (argv as string[]).map(releaseOf))
    if (releases.length === 0) {
      throw new KkError('KK_USAGE', 'expected the names of services, got none', {
        hint: 'for example: kk kolla bootstrap keystone',
      })
    }
    const {file} = prepared.environment
    const named = namedReleases(prepared, releases)
    const needed = requirements(prepared.graph, named).filter((release) => !named.includes(release))
    const own = needed.filter((release) => prepared.releases.has(release))
    if (own.length === 0) return this.console.say(`${releases.join(', ')}: nothing is required`)
    const options = {flags: {...flags, environment: undefined}, argv: [file, ...own], console: this.console}
    process.exitCode = await changeInstalled('upgrade', options, {install: true})
  }
}
