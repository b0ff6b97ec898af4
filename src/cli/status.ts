import type {Cluster} from '../cluster/cluster.ts'
import {asKkError, KkError} from '../errors.ts'
import {canDrawLive} from '../report/run/live.ts'
import {type StatusView, statusLines, statusTable} from '../report/status/status-views.ts'
import type {StatusReport} from '../verbs/observation/release-status.ts'
import type {StatusSubject} from '../verbs/observation/status-row.ts'
import {watchStatus} from '../verbs/observation/watch-status.ts'
import type {Console} from './console.ts'
import {openChosenCluster} from './open/cluster.ts'
import {type EnvironmentFlags, openOnCluster, prepareUsable, type ValueFlags} from './open/open.ts'
import {type OwnerFlags, openOwner} from './open/owner.ts'
import {openSecrets} from './open/secrets.ts'
import {endQuietly} from './signals.ts'

const LOOKING = {start: false, say: () => {}}

/**
 * Whose releases a command looks at: those of its file or, with `--owner` alone, those that the cluster says are its.
 * Whoever asked for it closes the cluster.
 */
export async function statusSubject(
  flags: EnvironmentFlags & ValueFlags & OwnerFlags,
  argv: readonly string[],
): Promise<{readonly subject: StatusSubject; readonly cluster: Cluster}> {
  if (flags.owner !== undefined) {
    const {name, environment, words} = await openOwner(flags, argv)
    if (!environment) {
      const cluster = await openChosenCluster(flags, undefined, LOOKING)
      return {subject: {owner: name!, prepared: undefined, names: words}, cluster}
    }
  }
  const {prepared, releases, cluster} = await openOnCluster(flags, argv, {...LOOKING, prepare: prepareUsable})
  return {subject: {owner: prepared.environment.name, prepared, names: releases}, cluster}
}

/** The same with generated secrets, which decide whether inputs changed; without them for who may not read them. */
export async function withSecrets(
  subject: StatusSubject,
  flags: Parameters<typeof openSecrets>[1],
  cluster: Pick<Cluster, 'secrets'>,
): Promise<StatusSubject> {
  if (!subject.prepared) return subject
  try {
    return {...subject, prepared: (await openSecrets(subject.prepared, flags, cluster)).planned}
  } catch (error) {
    if (asKkError(error).code !== 'KK_FORBIDDEN') throw error
    return subject
  }
}

type Output = 'text' | 'json' | 'yaml' | 'ndjson'

interface WatchOptions {
  readonly output: Output
  readonly console: Console
  readonly title: string
}

/** Shows the state until Ctrl-C, which ends kk with 130. Throws `KK_USAGE` for a form that is one document. */
export async function watch(
  read: () => Promise<StatusReport>,
  cluster: Cluster,
  options: WatchOptions,
): Promise<void> {
  const show = viewFor(options)
  endQuietly()
  for await (const look of watchStatus({read, cluster, signal: new AbortController().signal})) show(look)
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
