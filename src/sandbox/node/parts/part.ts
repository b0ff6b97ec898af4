import {join} from 'node:path'
import {GATEWAY, PODS, REGISTRY_PORT} from '../network.ts'
import type {NodePaths} from '../paths.ts'
import {PROVISIONER} from '../storage-class.ts'

/** A program of the node. */
export interface Part {
  readonly argv: readonly string[]
  /** The files that the program reads, by path. */
  readonly files?: Readonly<Record<string, string>>
  /** The directories that must exist. */
  readonly directories?: readonly string[]
}

/**
 * Returns CoreDNS on the bridge's address; it forwards names outside the cluster to the machine's name
 * servers.
 */
export function coredns(paths: NodePaths, binary: string): Part {
  const config = join(paths.etc, 'Corefile')
  return {
    argv: [binary, '-conf', config],
    files: {
      [config]: `.:53 {
  bind ${GATEWAY}
  errors
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    kubeconfig ${paths.kubeconfig}
    pods insecure
    fallthrough in-addr.arpa ip6.arpa
    ttl 5
  }
  forward . /etc/resolv.conf
  cache 30 {
    disable success cluster.local
    disable denial cluster.local
  }
}
`,
    },
  }
}

/** Returns the forwarder, through which pods reach the API server and the registry on loopback. */
export function forwarder(binary: string, apiServerPort: number): Part {
  const ports = [apiServerPort, REGISTRY_PORT]
  return {argv: [binary, ...ports.map((port) => `${GATEWAY}:${port}=127.0.0.1:${port}`)]}
}

interface Proxied {
  readonly name: string
  readonly address: string
  readonly kubeconfig: string
}

/** Returns kube-proxy, which changes only iptables rules; NodePorts are reachable only at this address. */
export function kubeProxy(
  {name, address, kubeconfig}: Proxied,
  binary: string,
  inNode = (argv: readonly string[]) => argv,
): Part {
  return {
    argv: inNode([
      ...[binary, '--kubeconfig', kubeconfig, '--hostname-override', name],
      ...['--proxy-mode', 'iptables', '--cluster-cidr', PODS, '--nodeport-addresses', `${address}/32`],
      '--iptables-localhost-nodeports=false',
      ...['--conntrack-max-per-core', '0', '--conntrack-min', '0'],
      ...['--conntrack-tcp-timeout-established', '0s', '--conntrack-tcp-timeout-close-wait', '0s'],
      ...['--metrics-bind-address', '127.0.0.1:10249', '--healthz-bind-address', '127.0.0.1:10256'],
    ]),
  }
}

/** Returns the provisioner, which creates and removes the directories of claims. */
export function provisioner(paths: NodePaths, binary: string): Part {
  return {
    argv: [binary, '-kubeconfig', paths.kubeconfig, '-name', PROVISIONER, '-directory', paths.volumes],
    directories: [paths.volumes],
  }
}

/** Returns Debian's docker-registry on loopback; pods reach it through the forwarder. */
export function registry(paths: NodePaths): Part {
  const config = join(paths.etc, 'registry.json')
  return {
    argv: ['docker-registry', 'serve', config],
    directories: [paths.registry],
    files: {
      // JSON is valid YAML.
      [config]: JSON.stringify({
        version: 0.1,
        log: {level: 'warn', accesslog: {disabled: true}},
        storage: {
          filesystem: {rootdirectory: paths.registry},
          delete: {enabled: true},
          maintenance: {uploadpurging: {enabled: false}},
        },
        http: {addr: `127.0.0.1:${REGISTRY_PORT}`, relativeurls: true},
      }),
    },
  }
}
