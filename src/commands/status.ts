import {Flags} from '@oclif/core'
import type {Versions} from '../audit/versions.ts'
import {KkError} from '../base/errors.ts'
import {KkCommand} from '../cli/command.ts'
import type {Console, Output} from '../cli/console.ts'
import {
  clusterFlags,
  environmentFlags,
  type OwnerFlags,
  overrideFlags,
  ownerFlags,
  type RenderFlags,
  releasesArgument,
} from '../cli/flags.ts'
import {type OpenedCluster, openChosenCluster} from '../cli/open/cluster.ts'
import {openOnCluster, prepareUsable} from '../cli/open/open.ts'
import {openOwner} from '../cli/open/owner.ts'
import {withReadableSecrets} from '../cli/open/secrets.ts'
import {streamFlags} from '../cli/run/flags.ts'
import {endQuietly} from '../cli/signals.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import {canDrawLive} from '../report/run/terminal.ts'
import {statusText} from '../report/status/status-text.ts'
import {type StatusView, statusLines, statusTable} from '../report/status/status-views.ts'
import {versionsText} from '../report/status/versions-text.ts'
import {builtInFiles} from '../state/assets.ts'
import {isPassing, type StatusReport} from '../verbs/observation/release-status.ts'
import {statusReader} from '../verbs/observation/status.ts'
import type {StatusSubject} from '../verbs/observation/status-row.ts'
import {cloudVersions} from '../verbs/observation/versions.ts'
import {watchStatus} from '../verbs/observation/watch-status.ts'

export default class Status extends KkCommand {
  static override summary = 'Show the status of each release of an environment on the cluster.'
  static override description =
    'Shows for each release its revision, its health with the reason, the process that is changing it, the releases that require it, and whether its inputs differ from the deployed ones. Exits 1 if a release is not healthy.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    'kk status environments/all-in-one.yaml --sandbox',
    'kk status environments/all-in-one.yaml keystone --sandbox --output json',
    'kk status --owner all-in-one --sandbox',
    'Also show the versions that run, and where two run beside each other.\nkk status cloud.yaml --versions',
  ]
  static override args = releasesArgument
  static override flags = {
    ...environmentFlags,
    ...ownerFlags,
    watch: Flags.boolean({
      char: 'w',
      summary: 'Watch until Ctrl-C: a live table on a terminal, otherwise a line for each change.',
    }),
    versions: Flags.boolean({
      summary:
        'Also read the versions of images, services, database schemas and QEMU in the pods, to find parts of which several run.',
      exclusive: ['watch', 'owner'],
    }),
    ...overrideFlags,
    ...clusterFlags,
    ...streamFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Status)
    const {output} = flags
    const {subject, ...opened} = await statusSubject(flags, argv as string[])
    await using cluster = opened.cluster
    const read = statusReader(await withReadableSecrets(subject, flags, cluster), cluster)
    const title = `${subject.owner} on ${cluster.context}`
    if (flags.watch) return await watch(read, cluster, {output, console: this.console, title})
    const [status, versions] = await Promise.all([
      read(),
      flags.versions ? versionsOf(subject, cluster) : undefined,
    ])
    const report = {...status, ...(versions && {versions})}
    if (output === 'ndjson') statusLines(process.stdout, 'ndjson', 0)({at: new Date(), report})
    else
      this.console.document(output, report, (palette) =>
        [
          statusText(report.releases, palette, report),
          versions ? ['', versionsText(versions, palette)] : [],
        ].flat(2),
      )
    for (const note of report.notes) this.console.say(`note: ${note}`)
    if (!report.releases.every(isPassing)) process.exitCode = 1
  }
}

/** Returns the releases to show, of the file or of `--owner`, and the cluster, which the caller closes. */
async function statusSubject(
  flags: RenderFlags & OwnerFlags,
  argv: readonly string[],
): Promise<{readonly subject: StatusSubject; readonly cluster: OpenedCluster}> {
  if (flags.owner !== undefined) {
    const {name, environment, words} = await openOwner(flags, argv)
    if (!environment) {
      const cluster = await openChosenCluster(flags, undefined)
      return {subject: {owner: name!, prepared: undefined, names: words}, cluster}
    }
  }
  const {prepared, releases, cluster} = await openOnCluster(flags, argv, {prepare: prepareUsable})
  return {subject: {owner: prepared.environment.name, prepared, names: releases}, cluster}
}

async function versionsOf({prepared, names}: StatusSubject, cluster: Cluster): Promise<Versions> {
  const {environment} = prepared!
  return cloudVersions(cluster, {environment, names, files: await builtInFiles(process.env)})
}

interface WatchOptions {
  readonly output: Output
  readonly console: Console
  readonly title: string
}

/**
 * Shows the state until Ctrl-C, which ends kk with 130. Throws `KK_USAGE` for an output format that is one
 * document.
 */
async function watch(
  read: () => Promise<StatusReport>,
  cluster: Cluster,
  options: WatchOptions,
): Promise<void> {
  const show = viewFor(options)
  endQuietly()
  for await (const snapshot of watchStatus({read, cluster, signal: new AbortController().signal}))
    show(snapshot)
}

function viewFor({output, console, title}: WatchOptions): StatusView {
  const level = console.level('stdout')
  if (output === 'json' || output === 'yaml') {
    throw new KkError('KK_USAGE', `--watch has no end, and --output ${output} is one document`, {
      hint: 'use --output ndjson: one line for each change',
    })
  }
  if (output === 'text' && canDrawLive(process.stdout, process.env))
    return statusTable(process.stdout, title, level)
  return statusLines(process.stdout, output, level)
}
