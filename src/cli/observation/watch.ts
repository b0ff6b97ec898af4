import type {Cluster} from '../../cluster/cluster.ts'
import {KkError} from '../../errors.ts'
import {canDrawLive} from '../../report/run/live.ts'
import {type StatusView, statusLines, statusTable} from '../../report/status/status-views.ts'
import type {StatusReport} from '../../verbs/observation/release-status.ts'
import {watchStatus} from '../../verbs/observation/watch-status.ts'
import {endQuietly} from '../show/signals.ts'
import {levelOf} from '../show/streams.ts'

type Output = 'text' | 'json' | 'yaml' | 'ndjson'

interface WatchOptions {
  readonly output: Output
  /** Words of the command line, for colour. */
  readonly words: readonly string[]
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

function viewFor({output, words, title}: WatchOptions): StatusView {
  const level = levelOf('stdout', words)
  if (output === 'json' || output === 'yaml') {
    throw new KkError('KK_USAGE', `--watch has no end, and --output ${output} is one document`, {
      hint: 'use --output ndjson: one line for each change',
    })
  }
  if (output === 'text' && canDrawLive(process.stdout, process.env))
    return statusTable(process.stdout, title, level)
  return statusLines(process.stdout, output, level)
}
