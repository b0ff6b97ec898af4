import {resolve} from 'node:path'
import {Flags} from '@oclif/core'
import {KkError} from '../../base/errors.ts'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {documentFlags, environmentFlags, helmFlags, repeated} from '../../cli/flags.ts'
import {openFinding} from '../../cli/open/charts.ts'
import {openEnvironmentIfAny} from '../../cli/open/open.ts'
import type {ChartSource} from '../../environment/environment.ts'
import {openDistribution} from '../../images/registry/distribution.ts'
import {offeredChartsText} from '../../report/charts/charts-text.ts'
import {searchCharts} from '../../verbs/charts/search-charts.ts'

export default class ChartsSearch extends KkCommand {
  static override summary = 'List the charts of a repository, a registry or a directory.'
  static override description =
    'Without --from, searches the sources of the environment (kk.charts), or the built-in charts. A term is a part of the name, the description or a keyword. Registries are searched through their catalog API; if a registry has none, as most public registries, the term must be the name of a chart. helm accesses repositories with its own credentials; log in to registries with helm registry login or docker login.'
  static override usage = '[TERM] [FLAGS]'
  static override examples = [
    'kk charts search',
    'kk charts search keystone --from oci://registry.example.org/openstack --versions',
    'kk charts search database --from https://charts.example.org --output json',
  ]
  static override args = {term: argument({description: 'A part of the name, the description or a keyword.'})}
  static override flags = {
    from: repeated(
      'SOURCE',
      'oci://HOST/PATH, https://HOST/PATH, or a directory of charts or packages; may be repeated.',
    ),
    versions: Flags.boolean({summary: 'List all versions, not only the newest of each chart.'}),
    ...environmentFlags,
    ...helmFlags,
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(ChartsSearch)
    const sources =
      flags.from?.map(parseSource) ??
      (await openEnvironmentIfAny(flags, []))?.charts ??
      ([{kind: 'built-in'}] as const)
    await using finding = openFinding(flags.helm)
    const charts = await searchCharts({
      term: args.term,
      sources,
      allVersions: flags.versions,
      builtIn: finding.builtIn,
      packages: finding.packages,
      registry: (host) => openDistribution({host, env: process.env}),
    })
    this.console.document(flags.output, {charts}, (palette) => offeredChartsText(charts, palette))
  }
}

function parseSource(words: string): ChartSource {
  if (/^oci:\/\/[^/]/.test(words)) return {kind: 'oci', url: words}
  if (/^https?:\/\/[^/]/.test(words)) return {kind: 'repository', url: words}
  if (words === '' || /^\w+:\/\//.test(words))
    throw new KkError(
      'KK_USAGE',
      `expected oci://…, https://… or a directory, got ${words || 'an empty string'}`,
      {hint: 'see kk charts search --help'},
    )
  return {kind: 'directory', path: resolve(words)}
}
