import {hash} from 'node:crypto'
import {isIP} from 'node:net'
import {mergeValues} from '../../base/merge.ts'
import {isMap, type Values} from '../../base/values.ts'
import type {DialectChart} from '../../charts/dialect.ts'
import type {SecretNeed} from '../system/plugin.ts'
import type {Certifier} from './certificates.ts'

/** The path of the certificates in the values of kk's own charts. */
const FILES = ['global', 'tls', 'files'] as const

/** The name of the secret with the authority of all certificates in a namespace. */
const AUTHORITY = 'tls.authority'

interface Place {
  readonly release: string
  readonly namespace: string
  /** The values of all layers. */
  readonly values: Values
}

/**
 * Returns the key and the certificate that a release of one of kk's own charts needs for its `tls` settings;
 * none if TLS is off, or if a layer names a Secret or an issuer, or contains the files.
 */
export function certificateNeeds(
  chart: DialectChart,
  place: Place,
  makeCertifier: (authority: string) => Certifier,
): readonly SecretNeed[] {
  const tls = certificateSettings(chart, place.values)
  if (!tls || tls.files !== undefined || tls.secret !== undefined || tls.issuer !== undefined) return []
  const names = serverNames(chart, place)
  const server = `tls.server.${place.release}`
  return [
    {name: server, kind: 'server', path: [...FILES, 'tls.key']},
    {
      name: AUTHORITY,
      kind: 'authority',
      path: FILES,
      derivedWith: server,
      derive: (authority, key) => makeCertifier(authority).certificate(names, key),
    },
  ]
}

/**
 * Returns the `tls` settings of a release of one of kk's own charts if it needs a certificate for them; else
 * undefined.
 */
export function certificateSettings(chart: DialectChart, values: Values): Values | undefined {
  const tls = tlsSettings(values)
  return chart.dialect === 'kk' && isCovered(chart, tls) ? tls : undefined
}

/** Returns true if the layers of a release enable TLS; the rest is only checked then. */
export function wantsTls(values: Values): boolean {
  const {public: outside, internal} = tlsSettings(values)
  return outside === true || internal === true
}

/** Returns true if the layers of a release enable TLS between services. */
export function wantsInternalTls(values: Values): boolean {
  return tlsSettings(values).internal === true
}

/** Returns `tls` as charts read it: `global.tls` with the `tls` of the section merged over it. */
export function tlsSettings(values: Values): Values {
  return mergeValues(mapOf(mapOf(values.global).tls), mapOf(values.tls))
}

/** Internally, every release is a server or a client; from outside, only HTTP services are reached. */
function isCovered({values: {serves}}: DialectChart, {public: outside, internal}: Values): boolean {
  const speaksHttp = Object.values(mapOf(serves)).some((each) =>
    /^https?$/.test(String(mapOf(mapOf(each).scheme).default)),
  )
  return internal === true || (outside === true && speaksHttp)
}

/**
 * Returns the names and addresses by which clients reach the servers of a release, and a name that all
 * servers share, by which a proxy verifies their pods. A release without servers gets only its own name. If
 * Ingresses have the certificates of their releases, their names are included.
 */
function serverNames(
  {values: defaults}: DialectChart,
  {release, namespace, values}: Place,
): readonly string[] {
  const endpoints = mergeValues(mapOf(mapOf(values.global).endpoints), mapOf(values.endpoints))
  const domain = stringValue(endpoints.cluster_domain_suffix) ?? 'cluster.local'
  const components = mergeValues(mapOf(defaults.components), mapOf(values.components))
  const names = Object.entries(components).flatMap(([key, facts]) => {
    const {endpoint, ports, kind} = mapOf(facts)
    if (!isMap(facts) || (endpoint === undefined && ports === undefined)) return []
    const service = objectName(release, key)
    const places = [`${namespace}.svc.${domain}`, `${namespace}.svc`, namespace]
    const hosts = kind === 'StatefulSet' ? [service, `*.${service}-peers`] : [service]
    return [
      ...hosts.flatMap((host) => [...places.map((each) => `${host}.${each}`), host]),
      ...statedNames(mapOf(endpoints[stringValue(endpoint) ?? '']), places),
    ]
  })
  const isController = Object.values(components).some((each) => mapOf(each).controller !== undefined)
  const outside = isController ? publicNames(endpoints, values) : ingressNames(defaults, values)
  // The first name is the subject of the certificate.
  const own =
    names.length === 0 ? [`${release}.${namespace}`] : [...names, `servers.${namespace}.svc.${domain}`]
  return [...new Set([...own, ...outside])]
}

/** Returns the names of a release's endpoints below the common domain, for its Ingresses. */
function ingressNames({serves}: Values, values: Values): readonly string[] {
  const {certificate, domain} = ingressSettings(values)
  if (certificate !== 'release' || stringValue(domain) === undefined) return []
  const names = Object.values(mapOf(serves)).flatMap((each) => stringValue(mapOf(each).public) ?? [])
  return names.map((name) => `${name}.${String(domain)}`)
}

/** Returns `ingress` as charts read it. */
export function ingressSettings({global, ingress}: Values): Values {
  return mergeValues(mapOf(mapOf(global).ingress), mapOf(ingress))
}

/**
 * Returns the public names that an ingress controller serves: a wildcard for the common domain, and the host
 * names that layers set.
 */
function publicNames(endpoints: Values, values: Values): readonly string[] {
  const domain = stringValue(ingressSettings(values).domain)
  const overridden = Object.values(endpoints).flatMap((each) =>
    statedNames({host_fqdn_override: {public: mapOf(mapOf(each).host_fqdn_override).public}}, []),
  )
  return [...(domain === undefined ? [] : [`*.${domain}`]), ...overridden]
}

/**
 * Returns the host names and addresses that layers set for an endpoint. A name without a dot is a Service,
 * and is returned with each of `places`.
 */
function statedNames({hosts, host_fqdn_override}: Values, places: readonly string[]): readonly string[] {
  const hostNames = [hosts, host_fqdn_override].flatMap((each) =>
    Object.values(mapOf(each)).map((host) => stringValue(isMap(host) ? host.host : host)),
  )
  return hostNames
    .filter((host) => host !== undefined && (isIP(host) !== 0 || NAME.test(host)))
    .flatMap((host) => (/[.:]/.test(host!) ? [host!] : [...places.map((each) => `${host}.${each}`), host!]))
}

const NAME = /^(?:\*\.)?[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/i
const LONGEST_NAME = 50

/** Returns the name of an object as the library `common` makes it (`common.context.name`). */
function objectName(release: string, key: string): string {
  const name = `${release}-${key}`
  if (name.length <= LONGEST_NAME) return name
  return `${name.slice(0, 41).replace(/-$/, '')}-${hash('sha256', name).slice(0, 8)}`
}

function mapOf(value: unknown): Values {
  return isMap(value) ? value : {}
}

function stringValue(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
