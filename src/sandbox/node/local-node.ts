import {readFileSync} from 'node:fs'
import {NODE_NAME} from '../sandbox.ts'
import {CGROUP} from './host/cgroups.ts'
import {inNewNamespace, inProcessNamespace} from './host/namespace.ts'
import {GATEWAY, REGISTRY_PORT} from './network.ts'
import type {NodePaths} from './paths.ts'

/** A node whose kubelet runs on this machine: the machine itself, or one with namespaces of its own. */
export interface LocalNode {
  readonly name: string
  /** The address of its kubelet and its NodePorts, in the network of pods. */
  readonly address: string
  /** The addresses of its pods; undefined: all of the network of pods. */
  readonly pods?: {readonly rangeStart: string; readonly rangeEnd: string; readonly gateway: string}
  readonly paths: NodePaths
  readonly kubeconfig: string
  /** The cgroup above its pods. */
  readonly cgroup: string
  /** The host and port at which it reaches the registry. */
  readonly registry: string
  /** The file with name servers for pods that do not use those of the cluster; undefined: the machine's. */
  readonly resolver?: string
  /** Returns the command that runs containerd in the node, which comes first. */
  containerd(argv: readonly string[]): readonly string[]
  /** Returns the command that runs another program in the node. */
  program(argv: readonly string[]): readonly string[]
}

/** Returns the only node of a machine: it has the machine's network, and mounts of its own. */
export function onlyNode(paths: NodePaths): LocalNode {
  return {
    ...{name: NODE_NAME, address: GATEWAY, paths, kubeconfig: paths.kubeconfig, cgroup: CGROUP},
    registry: `127.0.0.1:${REGISTRY_PORT}`,
    containerd: (argv) => inNewNamespace(paths, argv),
    program: (argv) => inProcessNamespace(readPid(paths.components.containerd!), argv),
  }
}

/** Reads the process id of a program that runs. */
export function readPid(file: string): number {
  return Number(readFileSync(file, 'utf8'))
}
