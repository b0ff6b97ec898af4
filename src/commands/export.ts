import {Flags} from '@oclif/core'
import {KkCommand} from '../cli/command.ts'
import {
  clusterFlags,
  documentFlags,
  environmentFlags,
  fileArgument,
  helmFlags,
  valueFlags,
} from '../cli/flags.ts'
import {openRendering} from '../cli/open/charts.ts'
import {lazyCluster, namesCluster} from '../cli/open/cluster.ts'
import {openValues} from '../cli/open/open.ts'
import {openSecrets} from '../cli/open/secrets.ts'
import {KkError} from '../errors.ts'
import type {ExportedChart} from '../exchange/exported.ts'
import {FORMATS, type Loss} from '../exchange/lost.ts'
import {splitCredentials, trimSlash} from '../helm/package-url.ts'
import {counted} from '../report/text/list.ts'
import {writeOwnedFiles} from '../state/files/owned-files.ts'
import {exportEnvironment} from '../verbs/export.ts'

export default class Export extends KkCommand {
  static override summary =
    'Write an environment as files of another tool: Flux, Argo, helmfile, Armada, or plain helm.'
  static override description =
    'helm is a shell script of plain helm commands in order. LOST.md in the directory says what the other tool does not do, of this environment. Secrets are named, not written; with --sops-age they are written encrypted. The files follow from the environment alone, but for what SOPS encrypts. Nothing is changed on a cluster, and one is asked only where it is named: for facts, and for secrets that kk keeps.'
  static override usage = '[FILE] --format FORMAT --output-dir DIR [FLAGS]'
  static override examples = [
    '<%= config.bin %> export environments/all-in-one.yaml --format helm --output-dir helm',
    '<%= config.bin %> export environments/all-in-one.yaml --format flux --charts oci://registry.example.org/kk --output-dir flux',
    '<%= config.bin %> export environments/all-in-one.yaml --format helmfile --output-dir helmfile --detailed-exitcode --output json',
  ]
  static override args = fileArgument
  static override flags = {
    format: Flags.option({summary: 'The format.', options: FORMATS, required: true})(),
    'output-dir': Flags.string({
      summary: 'The directory to write to: missing, empty, or of an earlier export.',
      helpValue: 'DIR',
      required: true,
    }),
    charts: Flags.string({
      summary:
        'Where the charts that lie in directories here were published: oci://HOST/PATH or https://HOST/PATH.',
      helpValue: 'URL',
    }),
    'sops-age': Flags.string({
      summary: 'Write secrets, encrypted by sops for this age recipient.',
      helpValue: 'RECIPIENT',
    }),
    image: Flags.string({
      summary: 'The image of kk, for the steps of Argo Workflows.',
      helpValue: 'IMAGE',
      default: 'kk',
    }),
    'detailed-exitcode': Flags.boolean({summary: 'Exit 4 when something of the environment is lost.'}),
    ...environmentFlags,
    ...valueFlags,
    ...clusterFlags,
    ...helmFlags,
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Export)
    const {format, image, 'output-dir': directory, 'sops-age': recipient} = flags
    const charts = flags.charts === undefined ? undefined : publishedAt(flags.charts)
    const {prepared} = await openValues(flags, argv as string[], this.console.say)
    await using cluster = lazyCluster(flags, prepared.environment)
    const supplied = await openSecrets(
      prepared,
      flags,
      namesCluster(flags) ? await cluster.open() : undefined,
    )
    const rendering = openRendering(flags.helm)
    const {environment, files, lost} = await exportEnvironment({
      ...{format, prepared, supplied, rendering, charts, recipient, image},
    })
    await writeOwnedFiles(directory, files, {marker: '.kk-export', partial: false}).catch(
      (cause: unknown) => {
        throw cause instanceof KkError ? cause : unwritable(directory, cause)
      },
    )
    const document = {environment, format, directory, files: [...files.keys()], lost}
    this.console.document(flags.output, document, () =>
      [...lost.map(lossLine), `${counted(files.size, 'file')} in ${directory}`].join('\n'),
    )
    if (flags['detailed-exitcode'] && lost.length > 0) process.exitCode = 4
  }
}

function lossLine({what, instead, of}: Loss): string {
  return `lost: ${what}${of.length === 0 ? '' : ` (${of.join(', ')})`}: ${instead}`
}

/** Throws `KK_USAGE` for what is no address, and for one with a password: it would stand in files. */
function publishedAt(words: string): NonNullable<ExportedChart['source']> {
  const {address, username} = splitCredentials(words)
  const kind = address.startsWith('oci://') ? 'oci' : 'repository'
  if (username === undefined && /^(?:oci|https?):\/\/[^/\s]/.test(words)) return {kind, url: trimSlash(words)}
  throw new KkError(
    'KK_USAGE',
    'expected --charts oci://HOST/PATH or https://HOST/PATH, without user and password',
    {
      hint: 'see kk export --help',
    },
  )
}

function unwritable(directory: string, cause: unknown): KkError {
  return new KkError('KK_FILE', `${directory} cannot be written: ${(cause as Error).message}`, {
    cause,
    hint: 'choose another --output-dir',
  })
}
