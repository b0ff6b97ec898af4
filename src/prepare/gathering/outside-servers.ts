import {dig} from '../../base/dig.ts'
import {isMap, type Values} from '../../base/values.ts'
import type {Environment} from '../../environment/environment.ts'
import {mergeValues} from '../../overrides/merge.ts'
import {SERVERS} from '../../overrides/system/servers.ts'

/** The endpoints, each with the chart that serves it, whose server is brought by those who use it. */
export const BROUGHT_SERVERS = Object.entries(SERVERS).filter(([type]) => type !== 'identity')

/**
 * Returns the charts whose server the environment states to be outside of the cluster, for the section of this name: charts
 * of kk's own reach what `endpoints` names, and nothing else.
 */
export function outsideServers({sections, global}: Environment, section: string): ReadonlySet<string> {
  const own = sections.get(section) ?? {}
  const endpoints = [global, own.global, own].map((layer) => mapOf(dig(layer, 'endpoints')))
  const merged = mergeValues(...endpoints)
  const found = BROUGHT_SERVERS.filter(([type]) => isOutside(merged[type]))
  return new Set(found.map(([, chart]) => chart))
}

/** Returns true for an endpoint whose server is stated to be outside of the cluster. */
export function isOutside(endpoint: unknown): boolean {
  return OUTSIDE.test(dottedHost(mapOf(endpoint)) ?? '')
}

/** An address, as of monitors also several, or a full name: one of two words may be a Service and its namespace. */
const OUTSIDE = /^(?:[\d.,:]+|\[?[\da-f]*:[\da-f:.\]]+|[^.,]+\.[^.,]+\.[^,]+)$/i

/** Returns the host that pods reach an endpoint by, as kk's charts read it, if it is not just the name of a Service. */
export function dottedHost({host_fqdn_override: override, hosts}: Values): string | undefined {
  const host = [override, hosts].map(internalHost).find((each) => each !== undefined)
  return host !== undefined && /[.:]/.test(host) && !/\.svc(?:\.|$)/.test(host) ? host : undefined
}

function internalHost(stated: unknown): string | undefined {
  const one = isMap(stated) ? (stated.internal ?? stated.default) : stated
  const host = isMap(one) ? one.host : one
  return typeof host === 'string' && host !== '' ? host : undefined
}

function mapOf(value: unknown): Values {
  return isMap(value) ? value : {}
}
