import {Resolver} from 'node:dns/promises'
import {connect} from 'node:net'
import {kubectl, type Target} from '../control-plane/kubectl.ts'
import {NODE_NAME} from '../sandbox.ts'
import {API_SERVICE, GATEWAY, REGISTRY_PORT} from './network.ts'
import type {Wait} from './wait.ts'

interface Question extends Wait {
  readonly answer: () => Promise<boolean>
}

const READY = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}'
const API_NAME = 'kubernetes.default.svc.cluster.local'

/** What a pod would notice were it missing: each part is asked as its users ask it. */
export function readiness(target: Target): readonly Question[] {
  return [
    {
      part: 'kubelet',
      until: 'the node is Ready',
      answer: async () => {
        const args = ['get', 'node', NODE_NAME, '--ignore-not-found', '--output', READY]
        return (await kubectl(target, args)) === 'True'
      },
    },
    {
      part: 'kube-proxy',
      until: 'the API server answers at the address of its Service',
      answer: () => connects(API_SERVICE, 443),
    },
    {part: 'coredns', until: 'it knows the name of a Service', answer: knowsServices},
    {
      part: 'registry',
      until: 'it answers on loopback',
      answer: () => connects('127.0.0.1', REGISTRY_PORT),
    },
    {
      part: 'forwarder',
      until: 'the registry answers on the bridge',
      answer: () => connects(GATEWAY, REGISTRY_PORT),
    },
  ]
}

async function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({host, port, timeout: 1000})
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(false))
  })
}

async function knowsServices(): Promise<boolean> {
  const resolver = new Resolver({timeout: 1000, tries: 1})
  resolver.setServers([GATEWAY])
  const addresses: string[] = await resolver.resolve4(API_NAME).catch(() => [])
  return addresses.includes(API_SERVICE)
}
