import {join} from 'node:path'
import {GATEWAY} from '../network.ts'
import type {NodePaths} from '../paths.ts'
import type {Part} from './part.ts'

/** Returns CoreDNS on the bridge's address; it forwards names that are no Services' to the machine's name servers. */
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
