import type {Pod} from 'kubernetes-types/core/v1.js'
import type {RawData, WebSocket} from 'ws'
import {KkError} from '../../base/errors.ts'
import type {Status} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {PODS, requestText, resourcePath} from '../api/resources.ts'
import type {Served} from '../api/served.ts'
import {BLOCKS_DRAIN} from '../evictions.ts'

/** A container of a pod. */
interface Container {
  readonly namespace: string
  readonly pod: string
  readonly container: string
}

/** A program with its standard input, for a container. */
export interface Program extends Container {
  readonly command: readonly string[]
  readonly input?: string
  /** Milliseconds until it must have ended. */
  readonly timeout: number
  readonly signal?: AbortSignal | undefined
}

interface Ended {
  /** The exit code. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A pod of a chart of kk. */
export interface SeenPod {
  readonly namespace: string
  readonly name: string
  /** The release; the section, if that is several releases. */
  readonly release: string
  readonly chart: string
  readonly component: string
  /** The container of the component. */
  readonly container: string
  readonly node: string
  /** False also if it is being deleted. */
  readonly isRunning: boolean
  /** The image of that container, and the digest that the node has of it; empty if it has not pulled one. */
  readonly image: string
  readonly digest: string
}

/** Runs programs in containers, as `kubectl exec` does. */
export interface Exec {
  /**
   * Returns the pods of a namespace that have the labels of a chart's component, without those of Jobs, and
   * without those that do nothing but block a drain.
   */
  pods(namespace: string): Promise<readonly SeenPod[]>
  /**
   * Resolves when the program has ended, with any exit code. Throws `KK_EXEC` if the container cannot run it,
   * if its output is too long, or if it has not ended in time; and like the functions of `Cluster`.
   */
  run(program: Program): Promise<Ended>
}

/**
 * With the fifth version a client can close standard input; before Kubernetes 1.30 there is only the fourth.
 */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io']
/** The first byte of each message (k8s.io/apimachinery: pkg/util/remotecommand/constants.go). */
const STDIN = 0
const STDOUT = 1
const STDERR = 2
const STATUS = 3
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024

export function openExec(client: ApiClient): Exec {
  return {
    pods: (namespace) => listPods(client, namespace),
    run: (program) => run(client, program),
  }
}

async function listPods(client: ApiClient, namespace: string): Promise<readonly SeenPod[]> {
  const {items} = await listAll<Served<Pod>>(client, {
    path: resourcePath(PODS, namespace),
    query: {
      labelSelector: `app.kubernetes.io/name,app.kubernetes.io/component,!job-name,!${BLOCKS_DRAIN}`,
    },
    summary: requestText('list', PODS, namespace),
  })
  return items.flatMap(({metadata, spec, status}) => {
    const {labels = {}} = metadata
    const of = (label: string) => labels[`app.kubernetes.io/${label}`] ?? ''
    const component = of('component')
    const containers = spec?.containers ?? []
    const container = containers.find(({name}) => name === component) ?? containers[0]
    if (!container || !spec?.nodeName) return []
    const state = status?.containerStatuses?.find(({name}) => name === container.name)
    const isRunning = state?.state?.running !== undefined && !metadata.deletionTimestamp
    return [
      {
        ...{namespace, name: metadata.name, node: spec.nodeName},
        ...{release: of('instance'), chart: of('name'), component, container: container.name, isRunning},
        ...{image: container.image ?? '', digest: (state?.imageID ?? '').replace(/^.*@/, '')},
      },
    ]
  })
}

async function run(client: ApiClient, program: Program): Promise<Ended> {
  const {namespace, pod, container, command, input = ''} = program
  const bytes = Buffer.from(input)
  // The shell reads exactly the input: with the fourth version of the protocol, standard input never ends.
  const limited = ['sh', '-c', 'n=$0; head -c "$n" | "$@"', String(bytes.length), ...command]
  const socket = await client.webSocket(
    {
      path: `${resourcePath(PODS, namespace, pod)}/exec`,
      query: {
        ...{container, command: bytes.length > 0 ? limited : command},
        ...{stdin: String(bytes.length > 0), stdout: 'true', stderr: 'true'},
      },
      summary: `execute a program in pods/${pod} in namespace ${namespace}`,
      signal: program.signal,
      // The program may have been started although the response is lost.
      repeatable: false,
    },
    PROTOCOLS,
  )
  const timer = setTimeout(() => socket.terminate(), program.timeout)
  try {
    const ended = collect(socket, program)
    for (let start = 0; start < bytes.length; start += 32_768)
      socket.send(Buffer.concat([Buffer.of(STDIN), bytes.subarray(start, start + 32_768)]))
    return await ended
  } finally {
    clearTimeout(timer)
    socket.terminate()
  }
}

function collect(socket: WebSocket, program: Program): Promise<Ended> {
  const {promise, resolve, reject} = Promise.withResolvers<Ended>()
  const output: {readonly [channel: number]: Buffer[]} = {[STDOUT]: [], [STDERR]: []}
  let size = 0
  let status: Status | undefined
  socket.on('message', (data: RawData) => {
    const message = Buffer.isBuffer(data)
      ? data
      : Buffer.concat([data].flat().map((each) => Buffer.from(each as ArrayBuffer)))
    const body = message.subarray(1)
    if (message[0] === STATUS) status = readStatus(body)
    output[message[0]!]?.push(body)
    size += body.length
    if (size > MAX_OUTPUT_BYTES) socket.terminate()
  })
  socket.on('error', (error) => reject(failure(program, error.message)))
  socket.on('close', () => {
    if (program.signal?.aborted) return reject(program.signal.reason)
    const code = status && exitCode(status)
    if (code !== undefined) {
      const [stdout, stderr] = [STDOUT, STDERR].map((channel) => Buffer.concat(output[channel]!).toString())
      resolve({code, stdout: stdout!, stderr: stderr!})
    } else if (size > MAX_OUTPUT_BYTES) {
      reject(failure(program, `its output is longer than ${MAX_OUTPUT_BYTES} bytes`))
    } else {
      reject(
        failure(
          program,
          status?.message ??
            `it did not end in ${Math.round(program.timeout / 1000)} s, or the connection was cut`,
        ),
      )
    }
  })
  socket.resume()
  return promise
}

/** Returns the status; an error here would end the process, because it is thrown in a handler of events. */
function readStatus(body: Buffer): Status {
  try {
    return JSON.parse(body.toString()) as Status
  } catch {
    return {message: 'its status is no JSON'}
  }
}

/** Returns the exit code in the status of a program that ran; undefined if it could not be started. */
function exitCode({status, reason, details}: Status): number | undefined {
  if (status === 'Success') return 0
  const code = details?.causes?.find((cause) => cause.reason === 'ExitCode')?.message
  return reason === 'NonZeroExitCode' && code !== undefined ? Number(code) : undefined
}

function failure({namespace, pod, container, command}: Program, reason: string): KkError {
  return new KkError(
    'KK_EXEC',
    `${command[0]} in the container ${container} of pod ${namespace}/${pod} has no result: ${reason}`,
    {hint: `kubectl describe pod ${pod} --namespace ${namespace}`},
  )
}
