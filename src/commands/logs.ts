import {Flags} from '@oclif/core'
import {KkError} from '../base/errors.ts'
import {KkCommand} from '../cli/command.ts'
import {clusterFlags, environmentFlags, releasesArgument, timeSeconds} from '../cli/flags.ts'
import {openChosenCluster} from '../cli/open/cluster.ts'
import {openGraph} from '../cli/open/open.ts'
import {streamFlags} from '../cli/run/flags.ts'
import {logLineText} from '../report/logs-text.ts'
import {readLogs} from '../verbs/observation/logs.ts'

/** How many lines of each container are shown if nothing selects them. */
const DEFAULT_TAIL = 100
const REQUEST = /^(?:req-)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

export default class Logs extends KkCommand {
  static override summary = 'Show the logs of all pods of an environment in order of time.'
  static override description =
    'Reads the logs of the releases, also those of Jobs and of containers before their last restart. --request shows the lines of one request through all services: OpenStack returns its ID in the header X-Openstack-Request-Id, and in error messages. --errors shows the lines of errors. Lines are shown as the containers wrote them. The order follows the clocks of the nodes. Exits 1 if a log could not be read.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    'kk logs cloud.yaml --errors',
    'kk logs cloud.yaml nova --since 10m',
    'kk logs cloud.yaml --request req-6f1c0d52-3a3e-4a53-9d0c-0f7f2b6f9c11 --since 24h',
  ]
  static override args = releasesArgument
  static override flags = {
    ...environmentFlags,
    request: Flags.string({summary: 'Show only the lines of this request of OpenStack.', helpValue: 'ID'}),
    errors: Flags.boolean({summary: 'Show only errors.'}),
    since: Flags.string({
      summary: 'How far to look back, such as 20m, 1h30m or 90s (default: 1h).',
      default: '1h',
      helpValue: 'TIME',
    }),
    tail: Flags.integer({
      summary: `Read at most this many lines of each container, the last ones (default: ${DEFAULT_TAIL}; all with --request or --errors).`,
      min: 1,
      helpValue: 'LINES',
    }),
    ...clusterFlags,
    ...streamFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Logs)
    const {output, errors} = flags
    const request = requestId(flags.request)
    const {prepared, releases} = await openGraph(flags, argv as string[])
    await using cluster = await openChosenCluster(flags, prepared.environment)
    const tail = flags.tail ?? (request === undefined && !errors ? DEFAULT_TAIL : undefined)
    const found = await readLogs(cluster, prepared, {
      ...{releases, request, errors, tail, seconds: timeSeconds('--since', flags.since)},
    })
    const {lines, notRead} = found
    if (output === 'ndjson') for (const line of lines) this.console.print(JSON.stringify(line))
    else this.console.document(output, found, (palette) => lines.map((line) => logLineText(line, palette)))
    if (lines.length === 0)
      this.console.say(`no such line in the last ${flags.since}: --since looks further back`)
    for (const {pod, container, reason} of notRead)
      this.console.say(this.console.palette('stderr').bad(`✘ ${pod}, container ${container}: ${reason}`))
    if (notRead.length > 0) process.exitCode = 1
  }
}

function requestId(given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const [, uuid] = REQUEST.exec(given) ?? []
  if (uuid !== undefined) return `req-${uuid}`
  throw new KkError('KK_USAGE', `"${given}" is no ID of a request`, {
    hint: 'it is req- and a UUID, as in the header X-Openstack-Request-Id',
  })
}
