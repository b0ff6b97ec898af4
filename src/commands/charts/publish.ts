import {Flags} from '@oclif/core'
import {KkError} from '../../base/errors.ts'
import type {Destination} from '../../charts/publishing/destination.ts'
import {directoryDestination} from '../../charts/publishing/destination-directory.ts'
import {registryDestination} from '../../charts/publishing/destination-registry.ts'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {canAsk, requireConfirmation} from '../../cli/console.ts'
import {documentFlags, helmFlags} from '../../cli/flags.ts'
import {openFinding} from '../../cli/open/charts.ts'
import {changeFlags} from '../../cli/run/flags.ts'
import {hostOf, splitCredentials} from '../../helm/package-url.ts'
import type {Packages} from '../../helm/pull.ts'
import {type Distribution, openDistribution} from '../../images/registry/distribution.ts'
import {publishDocument, publishText} from '../../report/charts/charts-text.ts'
import {attachSboms, planSboms} from '../../verbs/charts/attach-sboms.ts'
import {planPublish, publish} from '../../verbs/charts/publish-charts.ts'

export default class ChartsPublish extends KkCommand {
  static override summary =
    'Publish charts for helm, to a registry or to a directory that a web server serves.'
  static override description =
    "The destination is oci://HOST/PATH (log in with helm registry login or docker login), or a directory, whose index.yaml keeps its entries. If a version already exists with other content, nothing is published; if it exists with the same content, it is skipped. The signature of a package (PACKAGE.tgz.prov) is published with it. Without names, publishes all of kk's own charts. Uses plain HTTP for a registry on the loopback address. Without a terminal, --yes is required unless there is nothing to publish."
  static override usage = 'DESTINATION [CHART...] [FLAGS]'
  static override examples = [
    'kk charts publish repository --url https://charts.example.org --dry-run',
    'kk charts publish repository keystone --version 1.2.3 --yes',
  ]
  static override args = {
    destination: argument({description: 'oci://HOST/PATH, or a directory.', required: true}),
    charts: argument({
      description: "Names of kk's own charts, chart directories, and packages.",
      multiple: true,
    }),
  }
  static override flags = {
    version: Flags.string({
      summary: 'The version of the packages, instead of the version in Chart.yaml.',
      helpValue: 'VERSION',
    }),
    url: Flags.string({
      summary:
        'The URL that serves the directory, for the addresses in its index (default: relative addresses).',
      helpValue: 'URL',
    }),
    'plain-http': Flags.boolean({summary: 'Use plain HTTP for the registry, wherever it is.'}),
    sbom: Flags.boolean({
      summary: 'Attach to each chart in the registry an SBOM of its charts and images (CycloneDX).',
    }),
    yes: changeFlags.yes,
    'dry-run': changeFlags['dry-run'],
    ...helmFlags,
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(ChartsPublish)
    const {version, output, sbom} = flags
    if (sbom && !args.destination.startsWith('oci://'))
      throw misused('--sbom is only for registries: a directory cannot hold SBOMs')
    await using finding = openFinding(flags.helm)
    const destination = parseDestination(args.destination, {
      url: flags.url,
      plain: flags['plain-http'],
      packages: finding.packages,
    })
    const charts = await planPublish({charts: args.charts ?? [], version, finding, destination})
    const registry = () => openRegistry(args.destination, flags['plain-http'])
    const planned = sbom ? await planSboms(charts, args.destination, registry()) : []
    const show = (sboms = planned) => publishText(charts, destination.name, sboms)
    const isNew = [...charts, ...planned].some(({state}) => state !== 'there')
    const isChange = isNew && !flags['dry-run']
    if (isChange && !flags.yes) {
      if (canAsk()) this.console.say(show())
      await requireConfirmation('publish them?', 'check the output of --dry-run, then pass --yes')
    }
    if (isChange) await publish(charts, destination)
    const packages = charts.map(({packed}) => packed)
    const sboms = isChange && sbom ? await attachSboms(packages, args.destination, registry()) : planned
    this.console.document(output, publishDocument(charts, destination.name, sboms), () => show(sboms))
  }
}

interface DestinationOptions {
  readonly url: string | undefined
  readonly plain: boolean
  readonly packages: Packages
}

function parseDestination(words: string, {url, plain, packages}: DestinationOptions): Destination {
  if (/^oci:\/\/[^/]/.test(words)) {
    if (url !== undefined) throw misused('--url is only for directories: a registry has its own address')
    return registryDestination({url: words, plain, packages})
  }
  if (words === '' || /^\w+:\/\//.test(words)) throw misused('expected oci://HOST/PATH or a directory')
  if (/^[^/]+:\d+(\/|$)/.test(words)) throw misused(`a registry needs its scheme: oci://${words}`)
  if (plain) throw misused('--plain-http is only for registries')
  if (url !== undefined && (!/^https?:/.test(url) || splitCredentials(url).username !== undefined))
    throw misused('expected --url http://HOST or https://HOST, without user and password')
  return directoryDestination({path: words, url, now: new Date()})
}

function openRegistry(url: string, plain: boolean): Distribution {
  // If undefined, openDistribution uses plain HTTP for the loopback address only.
  return openDistribution({host: hostOf(url), plain: plain || undefined, env: process.env})
}

function misused(message: string): KkError {
  return new KkError('KK_USAGE', message, {hint: 'see kk charts publish --help'})
}
