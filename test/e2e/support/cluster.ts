import {randomBytes} from 'node:crypto'
import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {setTimeout as delay} from 'node:timers/promises'
import {execa} from 'execa'
import {inject} from 'vitest'
import {askApi, getDirectly} from './api.ts'
import {SHORT_LIVED} from './kk.ts'

interface KubectlOptions {
  readonly input?: string | object
}

/**
 * Runs kubectl on the control plane of the run; rejects when it fails. What it makes of a file is validated
 * by the API server alone: for kubectl to do so, too, the server makes a document of all its kinds, which
 * takes seconds of a processor.
 */
export async function kubectl(args: readonly string[], {input = ''}: KubectlOptions = {}): Promise<string> {
  const {toolbox, kubeconfig, home} = inject('run')
  const text = typeof input === 'string' ? input : JSON.stringify(input)
  const isOfFile = args.includes('--filename') || args.includes('-f')
  const quickly = ['create', 'apply'].includes(args[0]!) && isOfFile ? ['--validate=false'] : []
  const {stdout} = await execa(join(toolbox, 'kubectl'), [...args, ...quickly], {
    env: {KUBECONFIG: kubeconfig, HOME: home, ...SHORT_LIVED},
    extendEnv: false,
    input: text,
  })
  return stdout
}

/** What `kubectl get … --output json` says. */
export async function get<T>(...args: readonly string[]): Promise<T> {
  const answer = await getDirectly(inject('run').kubeconfig, args)
  return (answer ?? JSON.parse(await kubectl(['get', ...args, '--output', 'json']))) as T
}

/** A name that no other test has, for a namespace or an environment. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${randomBytes(4).toString('hex')}`
}

/** A new namespace of a test's own. It goes with the control plane. */
export async function makeNamespace(prefix = 'test'): Promise<string> {
  const name = uniqueName(prefix)
  await askApi(inject('run').kubeconfig, {
    method: 'POST',
    path: '/api/v1/namespaces',
    body: {metadata: {name}},
  })
  return name
}

interface WaitOptions {
  /** For the error. */
  readonly until: string
  readonly seconds?: number
}

/**
 * Polls until the condition holds something true, and resolves with it; rejects after 60 seconds unless told
 * otherwise.
 */
export async function waitFor<T>(
  condition: () => Promise<T | undefined | false>,
  {until, seconds = 60}: WaitOptions,
): Promise<T> {
  const deadline = Date.now() + seconds * 1000
  while (Date.now() < deadline) {
    const found = await condition()
    if (found) return found
    await delay(100)
  }
  throw new Error(`waited ${seconds} s in vain until ${until}`)
}

/** A line of the API server's audit log, as far as tests look at it. */
export interface AuditEvent {
  readonly verb: string
  readonly requestURI: string
  readonly userAgent?: string
  /** With microseconds. */
  readonly requestReceivedTimestamp: string
  readonly stageTimestamp: string
  readonly responseStatus?: {readonly code: number}
  readonly objectRef?: {
    readonly resource: string
    readonly subresource?: string
    readonly namespace?: string
    readonly name?: string
  }
  /** Only of `pods/status`. */
  readonly requestObject?: {
    readonly status?: {
      readonly phase?: string
      readonly conditions?: readonly {readonly type: string; readonly status: string}[]
    }
  }
}

/**
 * What the API server did for this namespace, oldest first; watches, events and leases of the system are left
 * out.
 */
export async function auditEvents(
  namespace: string,
  auditLog = inject('run').auditLog,
): Promise<AuditEvent[]> {
  const lines = (await readFile(auditLog, 'utf8')).split('\n')
  return lines
    .filter((line) => line.includes(`"${namespace}"`) && line.endsWith('}'))
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter((event) => event.objectRef?.namespace === namespace)
    .sort((a, b) => a.requestReceivedTimestamp.localeCompare(b.requestReceivedTimestamp))
}
