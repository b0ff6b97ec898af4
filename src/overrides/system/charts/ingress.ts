import type {Values} from '../../../base/values.ts'
import type {Facts} from '../../facts/facts.ts'
import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {limits, replicas, spread} from '../shared/sizing.ts'
import {belowGlobal, clusterDomain} from '../shared/trees.ts'

/**
 * openstack-helm has two controllers: the one in kube-system takes the traffic to the cluster and runs on
 * each controller node; the one in another namespace serves only that namespace, with a replica for each
 * controller node. kk's own controller runs on each controller node, and serves its namespace.
 */
export const plugin = definePlugin({
  chart: 'ingress',
  namespaces: ['kube-system', 'openstack'],
  reads: ['controllers', 'zones', 'publicDomain', 'tls', 'dnsDomain', 'ipFamily', 'allInOne'],
  kkReads: ['publicDomain', 'dnsDomain', 'allInOne'],
  kk: (facts) =>
    compose(
      limits(facts.allInOne, {controller: {memory: 512, cpu: 1000}}),
      belowGlobal(
        ifKnown(facts.publicDomain, (domain) => ({ingress: {domain}})),
        clusterDomain(facts.dnsDomain),
      ),
    ),
  overrides: (facts, namespace) =>
    compose(
      namespace === 'kube-system' ? forCluster(facts) : forNamespace(facts, namespace),
      spread(facts),
      limits(facts.allInOne, {ingress: {memory: 512, cpu: 500}, error_pages: {memory: 64, cpu: 100}}),
      ifKnown(facts.ipFamily, (family) =>
        family === 'ipv6'
          ? {conf: {ingress: {'bind-address-ipv6': '[::]', 'disable-ipv6': 'false'}}}
          : undefined,
      ),
      ifKnown(facts.tls, (tls) => ({conf: {ingress: {'ssl-redirect': String(tls)}}})),
    ),
})

type IngressFacts = Pick<Facts, 'controllers' | 'publicDomain'>

function forCluster({controllers}: IngressFacts): Values {
  return compose(
    {deployment: {mode: 'cluster', type: 'DaemonSet'}, network: {host_namespace: true}},
    replicas(controllers, ['error_page']),
  )
}

function forNamespace({controllers, publicDomain}: IngressFacts, namespace: string): Values {
  return compose(
    {deployment: {mode: 'namespace', type: 'Deployment'}},
    replicas(controllers, ['ingress', 'error_page']),
    ifKnown(publicDomain, (domain) => ({
      endpoints: {ingress: {host_fqdn_override: {public: {host: `${namespace}.${domain}`}}}},
    })),
  )
}
