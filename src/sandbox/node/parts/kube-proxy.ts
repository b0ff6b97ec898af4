import {NODE_NAME} from '../../sandbox.ts'
import {GATEWAY, PODS} from '../network.ts'
import type {NodePaths} from '../paths.ts'
import type {Part} from './part.ts'

/** Returns kube-proxy, which changes only iptables rules; NodePorts answer on the bridge's address only. */
export function kubeProxy(paths: NodePaths, binary: string): Part {
  return {
    argv: [
      ...[binary, '--kubeconfig', paths.kubeconfig, '--hostname-override', NODE_NAME],
      ...['--proxy-mode', 'iptables', '--cluster-cidr', PODS, '--nodeport-addresses', `${GATEWAY}/32`],
      '--iptables-localhost-nodeports=false',
      ...['--conntrack-max-per-core', '0', '--conntrack-min', '0'],
      ...['--conntrack-tcp-timeout-established', '0s', '--conntrack-tcp-timeout-close-wait', '0s'],
      ...['--metrics-bind-address', '127.0.0.1:10249', '--healthz-bind-address', '127.0.0.1:10256'],
    ],
  }
}
