import {Flags} from '@oclif/core'
import {type ExitCode, KkError} from '../base/errors.ts'
import {KkCommand} from '../cli/command.ts'
import {requireConfirmation, writeView} from '../cli/console.ts'
import {documentFlags, type FlagValues, fileArgument, renderFlags} from '../cli/flags.ts'
import {openRendering} from '../cli/open/charts.ts'
import {lazyCluster, namesCluster, openUsersHelm} from '../cli/open/cluster.ts'
import {openValues} from '../cli/open/open.ts'
import {openSecrets} from '../cli/open/secrets.ts'
import {changeFlags} from '../cli/run/flags.ts'
import {statusCommand, targetArguments} from '../cli/run/repeat-command.ts'
import {notOperatedCheck, planInTurn, runChoices, showRun} from '../cli/run/run.ts'
import type {ExportedChart} from '../exchange/exported.ts'
import {FORMATS, type Loss} from '../exchange/lost.ts'
import {splitCredentials, trimSlash} from '../helm/package-url.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import {hasChanges} from '../plan/plan.ts'
import type {Prepared} from '../prepare/prepare.ts'
import {releaseName} from '../release.ts'
import {planDocument} from '../report/plan/plan-json.ts'
import {planText} from '../report/plan/plan-text.ts'
import {runDocument} from '../report/run/run-json.ts'
import {counted} from '../report/text/list.ts'
import {writeOutputFiles} from '../state/files/owned-files.ts'
import {expectTakesOver, planHandOver} from '../verbs/change/hand-over.ts'
import {EXPORT_MARKER, expectDrivers, seenDrivers, separatorFor} from '../verbs/expect-drivers.ts'
import {exportEnvironment} from '../verbs/export.ts'

export default class Export extends KkCommand {
  static override summary =
    'Export an environment to files of another tool: Flux, Argo, helmfile, Armada, or plain helm.'
  static override description =
    'The format helm is a shell script of plain helm commands in order. LOST.md in the directory lists what the other tool does not support of this environment. Secrets are referenced, not written; with --sops-age they are written encrypted. The output is reproducible except for what SOPS encrypts. Nothing changes on a cluster. A cluster is read only if it is named: for facts, and for secrets that kk stores. With --hand-over, the releases on the cluster are then marked as managed by the other tool: kk refuses to change them until kk adopt takes them back.'
  static override usage = '[FILE] --format FORMAT --output-dir DIR [FLAGS]'
  static override examples = [
    'kk export environments/all-in-one.yaml --format helm --output-dir helm',
    'Of an installed cloud: its facts determine replicas, memory and workers.\nkk export environments/all-in-one.yaml --format flux --charts oci://registry.example.org/kk --output-dir flux --context production',
    'kk export environments/all-in-one.yaml --format helmfile --output-dir helmfile --detailed-exitcode --output json',
    'Show which releases would be handed over to helmfile.\nkk export environments/all-in-one.yaml --format helmfile --output-dir helmfile --hand-over --dry-run --sandbox',
  ]
  static override args = fileArgument
  static override flags = {
    format: Flags.option({summary: 'The output format.', options: FORMATS, required: true})(),
    'output-dir': Flags.string({
      summary: 'The directory to write to: new, empty, or that of an earlier export.',
      helpValue: 'DIR',
      required: true,
    }),
    charts: Flags.string({
      summary: 'Where the charts of local directories are published: oci://HOST/PATH or https://HOST/PATH.',
      helpValue: 'URL',
    }),
    'sops-age': Flags.string({
      summary: 'Write secrets, encrypted with sops for this age recipient.',
      helpValue: 'RECIPIENT',
    }),
    image: Flags.string({
      summary: 'The image of kk, for the steps of Argo Workflows.',
      helpValue: 'IMAGE',
      default: 'kk',
    }),
    'hand-over': Flags.boolean({
      summary:
        'Mark the releases on the cluster as managed by the other tool, so that kk refuses to change them.',
    }),
    yes: Flags.boolean({
      char: 'y',
      summary: 'Do not ask for confirmation before handing releases over.',
      dependsOn: ['hand-over'],
    }),
    'dry-run': Flags.boolean({
      summary: 'Write the files, show which releases would be handed over, and mark none.',
      dependsOn: ['hand-over'],
    }),
    'no-wait': Flags.boolean({summary: changeFlags['no-wait'].summary!, dependsOn: ['hand-over']}),
    message: Flags.string({
      char: 'm',
      summary: changeFlags.message.summary!,
      helpValue: 'TEXT',
      dependsOn: ['hand-over'],
    }),
    'detailed-exitcode': Flags.boolean({summary: 'Exit 4 if a part of the environment cannot be exported.'}),
    ...renderFlags,
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Export)
    const {format, image, 'output-dir': directory, 'sops-age': recipient} = flags
    if (flags['hand-over']) expectTakesOver(format)
    const charts = flags.charts === undefined ? undefined : parseChartsUrl(flags.charts)
    const {prepared, unknownFacts} = await openValues(flags, argv as string[], this.console.say)
    await using cluster = lazyCluster(flags, prepared.environment)
    const named = namesCluster(flags) || flags['hand-over'] ? await cluster.open() : undefined
    const supplied = await openSecrets(prepared, flags, namesCluster(flags) ? named : undefined)
    const rendering = openRendering(flags.helm)
    const note = this.console.say
    const seen = await seenDrivers({format, directory, cluster: named, note})
    const {name} = prepared.environment
    const releases = [...prepared.releases.keys()].map(releaseName)
    const separator = separatorFor({environment: name, releases, format, note}, seen)
    const {environment, files, lost} = await exportEnvironment({
      ...{format, prepared, supplied, rendering, charts, recipient, image, unknownFacts, separator},
    })
    expectDrivers(files, seen)
    await writeOutputFiles(directory, files, {marker: EXPORT_MARKER, partial: false})
    const handOver = flags['hand-over']
      ? await this.handOver(prepared, {flags, cluster: await cluster.open()})
      : undefined
    const document = {environment, format, directory, files: [...files.keys()], lost, ...handOver?.document}
    this.console.document(flags.output, document, () =>
      [...lost.map(formatLoss), `${counted(files.size, 'file')} in ${directory}`].join('\n'),
    )
    if (handOver?.exit) process.exitCode = handOver.exit
    else if (flags['detailed-exitcode'] && lost.length > 0) process.exitCode = 4
  }

  /** Shows the releases, asks for confirmation, and marks them on the cluster. */
  private async handOver(
    prepared: Prepared,
    {flags, cluster}: {readonly flags: ExportFlags; readonly cluster: Cluster},
  ): Promise<HandedOver> {
    const {environment} = prepared
    const ports = {cluster, helm: await openUsersHelm(flags, cluster)}
    const context = {flags, console: this.console, reports: undefined}
    const planned = await planInTurn(cluster, {environment: environment.name, flags}, () =>
      planHandOver(prepared, flags.format, ports),
    )
    const {plan} = planned
    // Standard output has the result of the export; the plan of the releases goes to standard error.
    writeView('stderr', planText(plan, this.console.palette('stderr')))
    if (flags['dry-run'] && hasChanges(plan)) await notOperatedCheck(cluster.leases, plan).refuse()
    if (flags['dry-run'] || !hasChanges(plan)) return {exit: 0, document: {handOver: planDocument(plan)}}
    if (!flags.yes)
      await requireConfirmation(
        `hand them over to ${flags.format} on ${cluster.context}?`,
        'check the releases above, then pass --yes',
      )
    const choices = runChoices(flags, {verb: 'export', scope: {names: [], install: false}})
    const place = targetArguments(environment.file, flags)
    const retryCommand = `kk export ${place} --format ${flags.format} --output-dir ${flags['output-dir']} --hand-over`
    const commands = {retryCommand, status: statusCommand(environment, flags)}
    const {state, exit} = await showRun(planned.run(choices), {...context, choices, commands})
    return {exit, document: {handOver: runDocument(state)}}
  }
}

type ExportFlags = FlagValues<typeof Export.flags>

interface HandedOver {
  readonly exit: ExitCode
  readonly document: {readonly handOver: object}
}

function formatLoss({what, instead, of}: Loss): string {
  return `lost: ${what}${of.length === 0 ? '' : ` (${of.join(', ')})`}: ${instead}`
}

/**
 * Throws `KK_USAGE` for an invalid address, and for one with credentials, which would be written to files.
 */
function parseChartsUrl(words: string): NonNullable<ExportedChart['source']> {
  const {address, username} = splitCredentials(words)
  const kind = address.startsWith('oci://') ? 'oci' : 'repository'
  if (username === undefined && /^(?:oci|https?):\/\/[^/\s]/.test(words)) return {kind, url: trimSlash(words)}
  throw new KkError(
    'KK_USAGE',
    'expected --charts oci://HOST/PATH or https://HOST/PATH, without user and password',
    {hint: 'see kk export --help'},
  )
}
