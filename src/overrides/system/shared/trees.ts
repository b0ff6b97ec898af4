import type {Values} from '../../../base/values.ts'
import {compose, ifKnown} from './compose.ts'
import {databaseMembers, rabbitmqMembers} from './sizing.ts'

/** Returns parts below `global` for kk's own charts, over which the environment's `global` wins. */
export function belowGlobal(...parts: readonly (Values | undefined)[]): Values | undefined {
  const merged = compose(...parts)
  return Object.keys(merged).length === 0 ? undefined : {global: merged}
}

/** Returns the DNS domain of the cluster's services, if it is not Kubernetes' default. */
export function clusterDomain(dnsDomain: string | undefined): Values | undefined {
  return ifKnown(dnsDomain, (domain) => ({endpoints: {cluster_domain_suffix: domain}}))
}

/** Returns the region for each account in openstack-helm's values. */
export function accountRegions(region: string | undefined, accounts: readonly string[]): Values | undefined {
  return ifKnown(region, (region_name) => ({
    endpoints: {identity: {auth: Object.fromEntries(accounts.map((name) => [name, {region_name}]))}},
  }))
}

/**
 * Returns the number of members of the message bus, which a service of openstack-helm connects to one by one.
 */
export function rabbitmqHosts({controllers}: {readonly controllers?: number}): Values | undefined {
  return ifKnown(controllers, (count) => ({
    endpoints: {oslo_messaging: {statefulset: {replicas: rabbitmqMembers(count)}}},
  }))
}

/** Returns the members of OVN's databases in kk's own charts: clients name them one by one. */
export function ovnMembers({controllers}: {readonly controllers?: number}): Values | undefined {
  return ifKnown(controllers, (count) => ({
    endpoints: {
      ovn_ovsdb_nb: {statefulset: {name: 'ovn-nb', replicas: databaseMembers(count)}},
      ovn_ovsdb_sb: {statefulset: {name: 'ovn-sb', replicas: databaseMembers(count)}},
    },
  }))
}
