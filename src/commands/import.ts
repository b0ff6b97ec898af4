import {dirname, resolve} from 'node:path'
import {Flags} from '@oclif/core'
import {KkError} from '../base/errors.ts'
import {argument} from '../cli/argument.ts'
import {KkCommand} from '../cli/command.ts'
import {clusterFlags, documentFlags, type FlagValues, repeated} from '../cli/flags.ts'
import {namesCluster, openChosenCluster} from '../cli/open/cluster.ts'
import type {Imported} from '../exchange/imported.ts'
import {IMPORT_FORMATS, importFiles} from '../exchange/read.ts'
import {environmentText, importDocument} from '../report/import/environment-text.ts'
import {expectNewOrSame, writeNamedFile} from '../state/files/write-named-file.ts'
import {importNodeGroups} from '../verbs/import-node-groups.ts'
import {importReleases} from '../verbs/import-releases.ts'

export default class Import extends KkCommand {
  static override summary =
    'Create an environment file from releases that plain helm installed, or from files of Flux, Argo CD, helmfile or Armada.'
  static override description =
    'Without a path, reads the releases on the cluster that kk did not install: values from their records, requirements from their manifests. With a path, reads the releases of another tool; its order becomes explicit requirements. For charts of kk, conf.overrides of openstack-helm becomes node_groups. What cannot be determined, or has no equivalent in an environment, is written to comments and to standard error. Changes nothing on a cluster: take the releases over with kk adopt. Secrets are omitted without --show-secrets. With --output json or yaml, the environment file is the field text of the document instead of standard output.'
  static override usage = '[PATH] [FLAGS]'
  static override examples = [
    'kk import --namespace openstack --charts ../openstack-helm --file cloud.yaml',
    'kk import helmfile.yaml --file cloud.yaml',
    'kk import clusters/production --format flux --file cloud.yaml',
    'An Armada manifest with overrides.\nkk import armada.yaml --format armada --values overrides.yaml --file cloud.yaml',
  ]
  static override args = {
    path: argument({
      description: 'A file of another tool, or a directory of such files; - reads standard input.',
    }),
  }
  static override flags = {
    format: Flags.option({
      summary: 'The format of the files (default: helmfile).',
      options: IMPORT_FORMATS,
    })(),
    values: repeated('FILE', 'Armada: documents to merge over the manifest; may be repeated.', {char: 'f'}),
    'plain-names': Flags.boolean({summary: 'Armada: omit the release_prefix from the names of releases.'}),
    name: Flags.string({summary: 'The name of the environment.', helpValue: 'NAME', default: 'imported'}),
    namespace: Flags.string({
      char: 'n',
      summary: 'The namespace of the releases to import (default: all).',
      helpValue: 'NAMESPACE',
      helpGroup: 'CLUSTER',
    }),
    charts: repeated('SOURCE', 'A source of charts for kk.charts; may be repeated.'),
    file: Flags.string({
      summary: 'Write the environment file to this path; - is standard output.',
      helpValue: 'FILE',
      default: '-',
    }),
    'show-secrets': Flags.boolean({summary: 'Include the secrets of the records, or of the files.'}),
    'dry-run': Flags.boolean({summary: 'Print the environment file, and write nothing.'}),
    ...clusterFlags,
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(Import)
    const {path} = args
    if (path === undefined) refuseWithoutPath(flags)
    else refuseWithPath(flags)
    const read = path === undefined ? await this.fromCluster(flags) : await fromFiles(path, flags)
    const imported = importNodeGroups(read, directoryOf(flags) ?? dirname(resolve(path ?? '-')))
    const text = environmentText(imported)
    const {'dry-run': dryRun = false} = flags
    const file = dryRun ? '-' : flags.file
    const isShown = file === '-'
    await expectNewOrSame(file, text)
    if (flags.output === 'text' || !isShown) await writeNamedFile(file, text)
    this.console.document(flags.output, importDocument(imported, isShown ? {dryRun, text} : {dryRun, file}))
    for (const each of imported.lost) this.console.say(`not carried over: ${each}`)
  }

  private async fromCluster(flags: ImportFlags): Promise<Imported> {
    await using cluster = await openChosenCluster(flags, undefined)
    const {name, namespace, charts = []} = flags
    return await importReleases({cluster, name, namespace, charts, showSecrets: flags['show-secrets']})
  }
}

type ImportFlags = FlagValues<typeof Import.flags>

/** Throws `KK_USAGE` for flags of files if no path is specified. */
function refuseWithoutPath({format, values = [], 'plain-names': isPlain}: ImportFlags): void {
  if (format === undefined && values.length === 0 && !isPlain) return
  throw new KkError('KK_USAGE', 'expected a path to files of another tool', {
    hint: 'for example: kk import clusters/production --format flux; without a path and --format, kk import reads the releases on a cluster',
  })
}

/** Throws `KK_USAGE` for flags of a cluster if a path is specified. */
function refuseWithPath(flags: ImportFlags): void {
  const {namespace, charts = []} = flags
  if (namespace === undefined && charts.length === 0 && !namesCluster(flags)) return
  throw new KkError(
    'KK_USAGE',
    'cluster flags, --namespace and --charts are for releases on a cluster, not for files',
    {hint: 'omit them, or the path'},
  )
}

/** Returns the directory of the environment file; undefined for standard output. */
function directoryOf({file}: ImportFlags): string | undefined {
  return file === '-' ? undefined : dirname(resolve(file))
}

async function fromFiles(path: string, flags: ImportFlags): Promise<Imported> {
  const {name, format = 'helmfile', values: overrides = [], 'plain-names': isPlain} = flags
  if (format !== 'armada' && (overrides.length > 0 || isPlain))
    throw new KkError(
      'KK_USAGE',
      `--values and --plain-names are for --format armada, and not for ${format}`,
      {hint: 'omit them'},
    )
  const showSecrets = flags['show-secrets']
  return importFiles({
    path,
    format,
    name,
    baseDirectory: directoryOf(flags),
    overrides,
    isPlain,
    showSecrets,
    env: process.env,
  })
}
