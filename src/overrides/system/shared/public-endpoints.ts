import type {Values} from '../../../release.ts'
import {given} from './compose.ts'

/** What a service is called in public, before the domain, and the name of its port in openstack-helm's tree. */
const SERVICES = {
  identity: {host: 'keystone', port: 'api'},
  image: {host: 'glance', port: 'api'},
  dashboard: {host: 'horizon', port: 'web'},
  placement: {host: 'placement', port: 'api'},
  compute: {host: 'nova', port: 'api'},
  compute_novnc_proxy: {host: 'novncproxy', port: 'novnc_proxy'},
  network: {host: 'neutron', port: 'api'},
  volumev3: {host: 'cinder', port: 'api'},
  orchestration: {host: 'heat', port: 'api'},
  cloudformation: {host: 'cloudformation', port: 'api'},
  baremetal: {host: 'ironic', port: 'api'},
  container_infra: {host: 'magnum', port: 'api'},
  application_catalog: {host: 'murano', port: 'api'},
  alarming: {host: 'aodh', port: 'api'},
  metric: {host: 'gnocchi', port: 'api'},
  event: {host: 'panko', port: 'api'},
  key_manager: {host: 'barbican', port: 'api'},
  faultmanagement: {host: 'fm', port: 'api'},
} as const

export type PublicService = keyof typeof SERVICES

export function isPublicService(name: string): name is PublicService {
  return Object.hasOwn(SERVICES, name)
}

export interface PublicFacts {
  readonly publicDomain?: string
  readonly tls?: boolean
}

/**
 * The public side of endpoints: `<service>.<domain>` and, when the facts say whether there is TLS, scheme and port of
 * what stands before it. Without a public domain there is no name that a certificate could be for.
 */
export function publicEndpoints(
  {publicDomain, tls}: PublicFacts,
  services: readonly PublicService[],
): Values | undefined {
  return given(publicDomain, (domain) => ({
    endpoints: Object.fromEntries(
      services.map((service) => [service, publicSide(SERVICES[service], domain, tls)]),
    ),
  }))
}

function publicSide({host, port}: {host: string; port: string}, domain: string, tls: boolean | undefined) {
  const name = {host_fqdn_override: {public: {host: `${host}.${domain}`}}}
  if (tls === undefined) return name
  return {...name, scheme: {public: tls ? 'https' : 'http'}, port: {[port]: {public: tls ? 443 : 80}}}
}
