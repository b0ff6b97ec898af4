import {readFileSync} from 'node:fs'
import {stripVTControlCharacters} from 'node:util'
import {foreignEnvironment} from '../../state/processes/foreign-environment.ts'
import type {ClusterAccess, ExecConfig} from './kubeconfig.ts'

/** The credentials of a credential plugin. */
export interface PluginCredentials {
  readonly token?: string
  /** A certificate and its key, in PEM. */
  readonly clientCertificateData?: string
  readonly clientKeyData?: string
  /** The time of their expiry, in milliseconds since the epoch. */
  readonly expires: number
}

/** An error of a plugin, with the `installHint` of its entry in the kubeconfig. */
export class PluginError extends Error {
  readonly hint: string | undefined

  constructor(message: string, installHint?: string) {
    super(message)
    this.hint = installHint && stripVTControlCharacters(installHint).trim()
  }
}

/**
 * The timeout of a plugin that cannot prompt the user: a slower plugin waits for input that never arrives.
 */
const PLUGIN_TIMEOUT_MS = 60_000

/**
 * Runs the credential plugin of a user and returns its credentials, as client-go does
 * (plugin/pkg/client/auth/exec: exec.go, tools/clientcmd: validation.go). The plugin may prompt the user only
 * if standard input is a terminal. Rejects with `PluginError`.
 */
export async function runPlugin(
  access: ClusterAccess,
  exec: ExecConfig,
  milliseconds = PLUGIN_TIMEOUT_MS,
): Promise<PluginCredentials> {
  const {command, args, env, installHint} = exec
  const isInteractive = mayPrompt(exec)
  const variables = (env ?? []).map(({name, value}) => [name, value ?? ''] as const)
  const {execa} = await import('execa')
  const result = await execa(command!, args ?? [], {
    env: {
      ...foreignEnvironment(process.env),
      ...Object.fromEntries(variables),
      KUBERNETES_EXEC_INFO: JSON.stringify(execInfo(access, exec, isInteractive)),
    },
    extendEnv: false,
    ...(isInteractive ? {stdin: 'inherit', stderr: 'inherit'} : {stdin: 'ignore', timeout: milliseconds}),
    killDescendants: !isInteractive,
    forceKillAfterDelay: 1_000,
    reject: false,
  })
  if (result.timedOut)
    throw new PluginError(`the credential plugin ${command} did not answer within ${milliseconds / 1000} s`)
  if (result.exitCode === undefined && result.signal === undefined)
    throw new PluginError(startFailure(command!, result.code), installHint ?? undefined)
  if (result.exitCode !== 0)
    throw new PluginError(
      firstLine(String(result.stderr ?? '')) || 'the credential plugin failed without a message',
    )
  return credentialsIn(result.stdout, exec)
}

function startFailure(command: string, code: string | undefined): string {
  if (code === 'ENOENT') return `the credential plugin ${command} is not installed`
  return `the credential plugin ${command} cannot be started (${code})`
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]!
}

const API_VERSIONS = ['v1', 'v1beta1'].map((version) => `client.authentication.k8s.io/${version}`)
const INTERACTIVE_MODES = ['Never', 'IfAvailable', 'Always']

/** Returns whether the plugin may prompt the user. Throws for an entry that client-go refuses. */
function mayPrompt({apiVersion = '', command, env, interactiveMode}: ExecConfig): boolean {
  if (!command) throw new PluginError('its user has exec without a command')
  if (!API_VERSIONS.includes(apiVersion))
    throw new PluginError(`its user has exec with an apiVersion other than ${API_VERSIONS.join(' and ')}`)
  if (env?.some(({name}) => !name)) throw new PluginError('its user has exec with a variable without a name')
  const mode = interactiveMode ?? (apiVersion.endsWith('v1') ? '' : 'IfAvailable')
  if (!INTERACTIVE_MODES.includes(mode))
    throw new PluginError(
      `its user has exec without interactiveMode: expected ${INTERACTIVE_MODES.join(', ')}`,
    )
  const isTerminal = process.stdin.isTTY === true
  if (mode === 'Always' && !isTerminal)
    throw new PluginError(`the credential plugin ${command} asks the user, and standard input is no terminal`)
  return mode !== 'Never' && isTerminal
}

/** The extension of a cluster's entry that is meant for plugins. */
const EXTENSION = 'client.authentication.k8s.io/exec'

function execInfo(
  {cluster}: ClusterAccess,
  {apiVersion, provideClusterInfo}: ExecConfig,
  interactive: boolean,
) {
  const info = provideClusterInfo ? {cluster: clusterInfo(cluster)} : {}
  return {apiVersion, kind: 'ExecCredential', spec: {...info, interactive}}
}

function clusterInfo({extensions, ...cluster}: ClusterAccess['cluster']): object {
  const file = cluster['certificate-authority']
  const authority = cluster['certificate-authority-data'] || (file && readFileSync(file, 'base64'))
  const config = extensions?.find((each) => each?.name === EXTENSION)?.extension
  const info = {
    server: cluster.server,
    'tls-server-name': cluster['tls-server-name'],
    'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
    'certificate-authority-data': authority,
    'proxy-url': cluster['proxy-url'],
    'disable-compression': cluster['disable-compression'],
    config,
  }
  return Object.fromEntries(Object.entries(info).filter(([, value]) => value))
}

interface ExecCredential {
  readonly apiVersion?: string
  readonly kind?: string
  readonly status?: {
    readonly token?: string
    readonly clientCertificateData?: string
    readonly clientKeyData?: string
    readonly expirationTimestamp?: string
  } | null
}

function credentialsIn(output: string, {apiVersion}: ExecConfig): PluginCredentials {
  const answer = parseJson(output)
  if (answer.kind !== 'ExecCredential' || !answer.status)
    throw new PluginError('the credential plugin did not print the JSON of an ExecCredential')
  if (answer.apiVersion !== apiVersion)
    throw new PluginError(`the credential plugin did not answer with ${apiVersion}, its apiVersion`)
  const {expirationTimestamp, ...credentials} = answer.status
  const {token, clientCertificateData: certificate, clientKeyData: key} = credentials
  if (!token && !certificate && !key)
    throw new PluginError('the credential plugin gave neither a token nor a certificate with its key')
  if (Boolean(certificate) !== Boolean(key))
    throw new PluginError('the credential plugin gave only one of a certificate and its key')
  const expires = expirationTimestamp ? Date.parse(expirationTimestamp) : Number.POSITIVE_INFINITY
  return {...credentials, expires}
}

/** Throws no SyntaxError, because its message quotes the string; returns `{}` instead. */
function parseJson(output: string): ExecCredential {
  try {
    const answer: unknown = JSON.parse(output)
    if (typeof answer === 'object' && answer !== null) return answer
  } catch {}
  return {}
}
