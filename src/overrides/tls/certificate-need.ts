import {hash} from 'node:crypto'
import {isIP} from 'node:net'
import {isMap, type Values} from '../../base/values.ts'
import type {SpokenChart} from '../../charts/dialect.ts'
import {mergeValues} from '../merge.ts'
import type {SecretNeed} from '../system/plugin.ts'
import type {Certifier} from './certificates.ts'

/** The place of a certificate with its key among the values of kk's own charts. */
const FILES = ['global', 'tls', 'files'] as const

/** The authority of all certificates in a namespace. */
const AUTHORITY = 'tls.authority'

interface Place {
  readonly release: string
  readonly namespace: string
  /** What all layers say. */
  readonly values: Values
}

/**
 * Returns the key and the certificate that a release of one of kk's own charts needs by `tls`; none where TLS is off, or where a layer
 * names a Secret or an issuer, or has the files.
 */
export function certificateNeeds(
  chart: SpokenChart,
  place: Place,
  certifierOf: (authority: string) => Certifier,
): readonly SecretNeed[] {
  const tls = certificateSettings(chart, place.values)
  if (!tls || tls.files !== undefined || tls.secret !== undefined || tls.issuer !== undefined) return []
  const names = namesOf(chart, place)
  const server = `tls.server.${place.release}`
  return [
    {name: server, kind: 'server', path: [...FILES, 'tls.key']},
    {
      name: AUTHORITY,
      kind: 'authority',
      path: FILES,
      other: server,
      given: (authority, key) => certifierOf(authority).certificate(names, key),
    },
  ]
}

/** Returns `tls` of a release of one of kk's own charts if it has a certificate by that; else undefined. */
export function certificateSettings(chart: SpokenChart, values: Values): Values | undefined {
  const tls = tlsOf(values)
  return chart.dialect === 'kk' && isCovered(chart, tls) ? tls : undefined
}

/** Whether the layers of a release ask for TLS; all else is looked at only then. */
export function wantsTls(values: Values): boolean {
  const {public: outside, internal} = tlsOf(values)
  return outside === true || internal === true
}

/** Whether the layers of a release ask for TLS between services. */
export function wantsInternalTls(values: Values): boolean {
  return tlsOf(values).internal === true
}

/** `tls` as charts read it: that of the section over that below `global`. */
function tlsOf(values: Values): Values {
  return mergeValues(mapOf(mapOf(values.global).tls), mapOf(values.tls))
}

/** Inside, everybody is a server or a client; from outside, only what speaks HTTP is reached. */
function isCovered({values: {serves}}: SpokenChart, {public: outside, internal}: Values): boolean {
  const speaksHttp = Object.values(mapOf(serves)).some((each) =>
    /^https?$/.test(String(mapOf(mapOf(each).scheme).default)),
  )
  return internal === true || (outside === true && speaksHttp)
}

/**
 * Returns the names and addresses by which clients reach the servers of a release, and one that all servers share, by which a proxy knows
 * their pods; its own name where it has none.
 */
function namesOf({values: defaults}: SpokenChart, {release, namespace, values}: Place): readonly string[] {
  const endpoints = mergeValues(mapOf(mapOf(values.global).endpoints), mapOf(values.endpoints))
  const domain = textOf(endpoints.cluster_domain_suffix) ?? 'cluster.local'
  const components = mergeValues(mapOf(defaults.components), mapOf(values.components))
  const names = Object.entries(components).flatMap(([key, facts]) => {
    const {endpoint, ports, kind} = mapOf(facts)
    if (!isMap(facts) || (endpoint === undefined && ports === undefined)) return []
    const service = objectName(release, key)
    const places = [`${namespace}.svc.${domain}`, `${namespace}.svc`, namespace]
    const hosts = kind === 'StatefulSet' ? [service, `*.${service}-peers`] : [service]
    return [
      ...hosts.flatMap((host) => [...places.map((each) => `${host}.${each}`), host]),
      ...statedNames(mapOf(endpoints[textOf(endpoint) ?? '']), places),
    ]
  })
  const isController = Object.values(components).some((each) => mapOf(each).controller !== undefined)
  const outside = isController ? publicNames(endpoints, values) : []
  // The first is the subject: the release's own.
  const own =
    names.length === 0 ? [`${release}.${namespace}`] : [...names, `servers.${namespace}.svc.${domain}`]
  return [...new Set([...own, ...outside])]
}

/** What an ingress controller serves: names below the domain of all, and those that layers state. */
function publicNames(endpoints: Values, {global, ingress}: Values): readonly string[] {
  const domain = textOf(mergeValues(mapOf(mapOf(global).ingress), mapOf(ingress)).domain)
  const stated = Object.values(endpoints).flatMap((each) =>
    statedNames({host_fqdn_override: {public: mapOf(mapOf(each).host_fqdn_override).public}}, []),
  )
  return [...(domain === undefined ? [] : [`*.${domain}`]), ...stated]
}

/** The names of an endpoint that layers state: those of Services, and full names and addresses. */
function statedNames({hosts, host_fqdn_override}: Values, places: readonly string[]): readonly string[] {
  const stated = [hosts, host_fqdn_override].flatMap((each) =>
    Object.values(mapOf(each)).map((host) => textOf(isMap(host) ? host.host : host)),
  )
  return stated
    .filter((host) => host !== undefined && (isIP(host) !== 0 || NAME.test(host)))
    .flatMap((host) => (/[.:]/.test(host!) ? [host!] : [...places.map((each) => `${host}.${each}`), host!]))
}

const NAME = /^(?:\*\.)?[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/i
const LONGEST_NAME = 50

/** As the library `common` names objects (`common.context.name`). */
function objectName(release: string, key: string): string {
  const name = `${release}-${key}`
  if (name.length <= LONGEST_NAME) return name
  return `${name.slice(0, 41).replace(/-$/, '')}-${hash('sha256', name).slice(0, 8)}`
}

function mapOf(value: unknown): Values {
  return isMap(value) ? value : {}
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
