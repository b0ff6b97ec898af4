import type {Values} from '../../../release.ts'
import {compose, given} from './compose.ts'
import {busSize} from './sizing.ts'

/** What kk's own charts read below `global`: there the environment's `global` wins over it, as for every other layer. */
export function belowGlobal(...parts: readonly (Values | undefined)[]): Values | undefined {
  const whole = compose(...parts)
  return Object.keys(whole).length === 0 ? undefined : {global: whole}
}

/** The name of the cluster's services, where it is not Kubernetes' own. */
export function clusterDomain(dnsDomain: string | undefined): Values | undefined {
  return given(dnsDomain, (domain) => ({endpoints: {cluster_domain_suffix: domain}}))
}

/** The region, for each account in openstack-helm's tree. */
export function accountRegions(region: string | undefined, accounts: readonly string[]): Values | undefined {
  return given(region, (region_name) => ({
    endpoints: {identity: {auth: Object.fromEntries(accounts.map((name) => [name, {region_name}]))}},
  }))
}

/** How many members of the message bus a service of openstack-helm's connects to, one by one. */
export function busMembers({controllers}: {readonly controllers?: number}): Values | undefined {
  return given(controllers, (count) => ({
    endpoints: {oslo_messaging: {statefulset: {replicas: busSize(count)}}},
  }))
}
