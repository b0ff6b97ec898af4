import {join} from 'node:path'
import {KkError} from '../base/errors.ts'
import {stateDirectory} from '../state/directories.ts'
import {NODE_NAME} from './sandbox.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The paths of one sandbox: all below `home`, except its lock and the ports lock. */
export interface SandboxPaths {
  readonly name: string
  readonly home: string
  /** The lock that is held while the sandbox is started or removed. */
  readonly lock: string
  /** The lock that is held while any sandbox chooses its ports. */
  readonly portsLock: string
  /** The record, which is written last and removed first. */
  readonly record: string
  /** A marker file that exists while the sandbox is started or removed. */
  readonly unfinished: string
  /** etcd's directory, which holds everything deployed. */
  readonly data: string
  readonly ports: string
  readonly kubeconfig: string
  /** kwokctl's configuration file. */
  readonly configuration: string
  readonly auditPolicy: string
  readonly auditLog: string
  /** The output of `kubectl logs` for every simulated container. */
  readonly containerLog: string
  /** kwokctl's pid files, by component. */
  readonly controlPlane: Readonly<Record<string, string>>
  /** The pid files of all components, kwokctl's and others. */
  readonly components: Readonly<Record<string, string>>
  /** kwokctl's directory of this cluster. */
  readonly cluster: string
  /** kwokctl's directory of all its clusters. */
  readonly kwok: string
}

/** The component names in kwokctl. */
const CONTROL_PLANE = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const

const SIMULATED = [...CONTROL_PLANE, 'kwok-controller']

/** The parts of the only node that each of several nodes has for itself. */
export const OWN_PARTS = ['containerd', 'kubelet'] as const

/** The parts that run next to the control plane if nodes are real. */
const NODE_PARTS = [...OWN_PARTS, 'kube-proxy', 'coredns', 'registry', 'forwarder', 'provisioner'] as const

/** The cluster name in kwokctl. Each sandbox has a separate kwokctl directory. */
export const CLUSTER = 'kk'

// The pattern also prevents path separators.
const NAME = /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/

/** Returns the directory of all sandboxes. */
export function sandboxesDirectory(env: Environment): string {
  return join(stateDirectory(env), 'sandboxes')
}

/**
 * Returns the paths of a sandbox. Throws `KK_USAGE` unless its name is 1 to 40 lower-case letters, digits and
 * hyphens.
 */
export function sandboxPaths(name: string, env: Environment): SandboxPaths {
  if (!isSandboxName(name)) throw invalidName(name)
  const sandboxes = sandboxesDirectory(env)
  const home = join(sandboxes, name)
  const kwok = join(home, 'kwok')
  const cluster = join(kwok, 'clusters', CLUSTER)
  const controlPlane = pidFiles(name === NODE_NAME ? CONTROL_PLANE : SIMULATED, cluster)
  return {
    name,
    home,
    lock: join(sandboxes, `${name}.lock`),
    portsLock: join(sandboxes, 'ports.lock'),
    record: join(home, 'sandbox.json'),
    unfinished: join(home, 'unfinished'),
    data: join(cluster, 'etcd', 'member'),
    ports: join(home, 'ports.json'),
    kubeconfig: join(home, 'kubeconfig'),
    configuration: join(home, 'kwok.yaml'),
    auditPolicy: join(home, 'audit-policy.yaml'),
    auditLog: join(cluster, 'logs', 'audit.log'),
    containerLog: join(home, 'container.log'),
    controlPlane,
    components: {...controlPlane, ...pidFiles(name === NODE_NAME ? NODE_PARTS : [], join(home, 'node'))},
    cluster,
    kwok,
  }
}

/** Returns the files with the process ids of components, by name. */
export function pidFiles(names: readonly string[], directory: string): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, join(directory, 'pids', `${name}.pid`)]))
}

export function isSandboxName(name: string): boolean {
  return NAME.test(name)
}

function invalidName(name: string): KkError {
  return new KkError('KK_USAGE', `a sandbox cannot be named ${JSON.stringify(name)}`, {
    hint: 'use 1 to 40 lower-case letters, digits and hyphens; a letter or digit first and last',
  })
}
