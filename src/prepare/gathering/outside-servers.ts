import {dig} from '../../base/dig.ts'
import {mergeValues} from '../../base/merge.ts'
import {isMap, type Values} from '../../base/values.ts'
import type {Environment} from '../../environment/environment.ts'
import {SERVERS} from '../../overrides/system/servers.ts'

/**
 * The endpoints whose server is deployed as a requirement of its users, each with the chart that serves it.
 */
export const DEPLOYED_SERVERS = Object.entries(SERVERS).filter(([type]) => type !== 'identity')

/**
 * Returns the charts whose server is outside of the cluster for this section, according to its `endpoints`.
 * kk's own charts connect only to what `endpoints` names.
 */
export function outsideServers({sections, global}: Environment, section: string): ReadonlySet<string> {
  const own = sections.get(section) ?? {}
  const endpoints = [global, own.global, own].map((layer) => asMap(dig(layer, 'endpoints')))
  const merged = mergeValues(...endpoints)
  const outside = DEPLOYED_SERVERS.filter(([type]) => isOutside(merged[type]))
  return new Set(outside.map(([, chart]) => chart))
}

/** Returns true for an endpoint whose host is outside of the cluster. */
export function isOutside(endpoint: unknown): boolean {
  return OUTSIDE.test(dottedHost(asMap(endpoint)) ?? '')
}

/**
 * One or more addresses (of monitors), or a name of three or more labels: two may be a Service and its
 * namespace.
 */
const OUTSIDE = /^(?:[\d.,:]+|\[?[\da-f]*:[\da-f:.\]]+|[^.,]+\.[^.,]+\.[^,]+)$/i

/** Returns the host of an endpoint as kk's charts read it, if it is more than the name of a Service. */
export function dottedHost({host_fqdn_override: override, hosts}: Values): string | undefined {
  const host = [override, hosts].map(internalHost).find((each) => each !== undefined)
  return host !== undefined && /[.:]/.test(host) && !/\.svc(?:\.|$)/.test(host) ? host : undefined
}

function internalHost(setting: unknown): string | undefined {
  const one = isMap(setting) ? (setting.internal ?? setting.default) : setting
  const host = isMap(one) ? one.host : one
  return typeof host === 'string' && host !== '' ? host : undefined
}

function asMap(value: unknown): Values {
  return isMap(value) ? value : {}
}
