import type {Values} from '../../release.ts'
import {dig, digText} from '../manifests/dig.ts'

/** Where a service is reached: the namespace, if the values say one, and the name. */
export interface ServiceHost {
  readonly namespace: string | undefined
  readonly name: string
}

/**
 * The Service behind an entry of `endpoints`, as the helm-toolkit of openstack-helm looks it up. Undefined where the
 * values have no such entry.
 */
export function serviceHost(values: Values, service: string, endpoint: string): ServiceHost | undefined {
  const entry = dig(values, 'endpoints', service.replaceAll('-', '_'))
  const stated = dig(entry, 'hosts', endpoint) ?? dig(entry, 'hosts', 'default')
  const host = typeof stated === 'object' ? digText(stated, 'host') : stated
  if (typeof host !== 'string' || host === '') return undefined
  const name = /\d+\.\d+\.\d+\.\d+/.test(host)
    ? (digText(entry, 'service', 'name') ?? service.replaceAll('-', '_'))
    : host
  return {namespace: digText(entry, 'namespace'), name}
}
