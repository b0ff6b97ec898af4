import {X509Certificate} from 'node:crypto'
import type {SeenCertificates} from '../../kubernetes/diagnosis/diagnosis.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {SecretStore} from '../../kubernetes/records/secret-store.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {Examination} from '../facts.ts'
import type {Check, CheckFinding} from '../finding.ts'

/** Finds certificates that expire soon: of servers, of the CAs that kk stores, and those in values. */
export const certificatesCheck: Check = {
  name: 'certificates',
  okMessage: 'no certificate expires soon',
  async run(facts) {
    const {cluster, now, kubectl, prepared} = facts
    const [seen, authorities] = await Promise.all([seenCertificates(facts), keptAuthorities(cluster.secrets)])
    const place = prepared ? facts.place : `FILE ${facts.place}`.trim()
    return judgeCertificates(seen, authorities, {now, kubectl, place})
  },
}

interface Place {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly kubectl: string
  /** The environment file, and the arguments that name the cluster. */
  readonly place: string
}

const DAY_MILLISECONDS = 86_400_000
const WARNING_DAYS = 60

/**
 * Returns a finding for each certificate that expires soon, and one for all certificates of a CA of kk, by
 * namespace.
 */
export function judgeCertificates(
  seen: readonly SeenCertificates[],
  authorities: ReadonlyMap<string, X509Certificate>,
  place: Place,
): readonly CheckFinding[] {
  const ending = new Map<string, CheckFinding>()
  const users = new Map<X509Certificate, Set<string>>()
  for (const each of seen) {
    const authority = authorities.get(each.namespace)
    for (const certificate of ownIn(each)) {
      if (authority && isOf(certificate, authority) && expiryTime(certificate) >= expiryTime(authority)) {
        users.set(authority, (users.get(authority) ?? new Set()).add(certificateName(each)))
      } else if (endsSoon(certificate, place, each.manager !== undefined)) {
        const what = described(each, certificate)
        const key = `${each.kind} ${each.namespace}/${each.name} ${certificate.fingerprint256}`
        ending.set(key, found(what, certificate, {...place, advice: adviceFor(each, certificate, place)}))
      }
    }
  }
  const ofAuthorities = [...authorities]
    .filter(([, authority]) => endsSoon(authority, place, false))
    .map(([namespace, authority]) => {
      const names = [...(users.get(authority) ?? [])].sort()
      const servers = names.length === 0 ? '' : `, and with it the certificates of ${names.join(', ')},`
      const advice = `kk secrets rotate tls.authority --namespace ${namespace} -e ${place.place}, and then the kk upgrade that it prints`
      return found(`the authority of kk for ${namespace}${servers}`, authority, {...place, advice})
    })
  return [...ofAuthorities, ...ending.values()]
}

/**
 * Returns the certificates that have ended, or end within so many milliseconds and in the last third of their
 * lifetime.
 */
export function endingWithin(
  seen: readonly SeenCertificates[],
  {now, window}: {readonly now: number; readonly window: number},
): readonly (Pick<SeenCertificates, 'release'> & {readonly what: string})[] {
  const isEnding = (certificate: X509Certificate) =>
    expiryTime(certificate) - now < Math.min(window, lifetime(certificate) / 3)
  return seen.flatMap((each) =>
    ownIn(each)
      .filter(isEnding)
      .map((certificate) => ({
        release: each.release,
        what: `${described(each, certificate)} ends at ${new Date(expiryTime(certificate)).toISOString()}`,
      })),
  )
}

function described({kind, namespace, name}: SeenCertificates, certificate: X509Certificate): string {
  return `the certificate of ${commonName(certificate)} in the ${kind} ${namespace}/${name}`
}

function found(
  what: string,
  certificate: X509Certificate,
  {now, advice}: {readonly now: number; readonly advice: string},
): CheckFinding {
  const end = expiryTime(certificate)
  const at = new Date(end).toISOString()
  return end <= now
    ? {level: 'problem', what: `${what} ended at ${at}`, advice}
    : {level: 'warning', what: `${what} ends at ${at}`, advice}
}

/** Returns how to renew a certificate, depending on its issuer. */
function adviceFor(
  {kind, namespace, name, release, manager}: SeenCertificates,
  {issuer}: X509Certificate,
  {kubectl, place}: Place,
): string {
  if (manager !== undefined)
    return `cert-manager has not renewed it: ${kubectl} describe certificate ${manager} --namespace ${namespace}`
  if (release === undefined)
    return `nothing that kk knows renews it: replace it in the ${kind} ${namespace}/${name}`
  const [file, ...cluster] = place.split(' ')
  const upgrade = ['kk upgrade', file, releaseName(release), ...cluster].join(' ')
  if (/^CN=kk [\da-f]{12}$/.test(issuer)) return upgrade
  return `it is set in the values of ${release}: set another, and then ${upgrade}`
}

/**
 * Returns true in the last 60 days, or in the last third of a shorter lifetime; cert-manager renews its own
 * certificates earlier.
 */
function endsSoon(certificate: X509Certificate, {now}: Place, isManaged: boolean): boolean {
  const warning = Math.min(WARNING_DAYS * DAY_MILLISECONDS, lifetime(certificate) / (isManaged ? 6 : 3))
  return expiryTime(certificate) - now < warning
}

/**
 * Returns the relevant certificates of an object: those of servers, their CA if it expires before them, and a
 * CA that is the only certificate of its file. Other certificates of a bundle are only trusted.
 */
function ownIn({texts}: SeenCertificates): readonly X509Certificate[] {
  const parts = texts.map(certificatesIn)
  const servers = parts.flat().filter(({ca}) => !ca)
  return parts.flatMap((part) =>
    part.filter((each) => {
      const signed = each.ca ? servers.filter((server) => isOf(server, each)) : []
      if (signed.length > 0) return signed.some((server) => expiryTime(server) > expiryTime(each))
      return !each.ca || part.length === 1
    }),
  )
}

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

function certificatesIn(text: string): readonly X509Certificate[] {
  return [...text.matchAll(PEM)].flatMap(([pem]) => {
    try {
      return [new X509Certificate(pem)]
    } catch {
      return []
    }
  })
}

function isOf(certificate: X509Certificate, authority: X509Certificate): boolean {
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey)
}

function expiryTime({validTo}: X509Certificate): number {
  return Date.parse(validTo)
}

function lifetime(certificate: X509Certificate): number {
  return expiryTime(certificate) - Date.parse(certificate.validFrom)
}

function commonName({subject}: X509Certificate): string {
  return /(?:^|\n)CN=(.+)/.exec(subject)?.[1] ?? 'no name'
}

function certificateName({release, name}: SeenCertificates): string {
  return release === undefined ? name : releaseName(release)
}

/**
 * Returns the objects with certificates: TLS Secrets in namespaces of releases, of kk or not, and Secrets and
 * ConfigMaps of releases and of the charts of the environment.
 */
async function seenCertificates({cluster, last, readRecords, rendered}: Examination) {
  const [live, records, wanted, releases] = await Promise.all([
    cluster.diagnosis.certificates(),
    readRecords(),
    rendered(),
    last(),
  ])
  const namespaces = new Set(releases.map(({release}) => releaseNamespace(release)))
  const inUse = live.filter(({namespace}) => namespaces.has(namespace))
  const known = new Set(inUse.map(({namespace, name}) => `Secret ${namespace}/${name}`))
  const recorded = records.flatMap((each) =>
    'objects' in each ? each.objects.flatMap((object) => heldBy(each.record.release, object)) : [],
  )
  const desired = [...wanted].flatMap(([release, objects]) =>
    objects.flatMap((object) => heldBy(release, object)),
  )
  return [
    ...inUse,
    ...recorded.filter(({kind, namespace, name}) => !known.has(`${kind} ${namespace}/${name}`)),
    ...desired,
  ]
}

/** Returns the strings of a Secret or ConfigMap that contain a certificate. */
export function heldBy(release: ReleaseId, object: KubernetesObject): readonly SeenCertificates[] {
  const {kind, metadata} = object
  if (kind !== 'Secret' && kind !== 'ConfigMap') return []
  const {data, stringData} = object as {data?: object | null; stringData?: object | null}
  const plain = Object.values({...(kind === 'ConfigMap' ? data : stringData)}).map(String)
  const encoded = kind === 'Secret' ? Object.values(data ?? {}) : []
  const texts = [...plain, ...encoded.map((each) => Buffer.from(String(each), 'base64').toString())]
  const namespace = metadata.namespace ?? releaseNamespace(release)
  const certificateTexts = texts.filter((text) => text.includes('-----BEGIN CERTIFICATE-----'))
  return certificateTexts.length === 0
    ? []
    : [{kind, namespace, name: metadata.name, release, texts: certificateTexts}]
}

/** Returns the certificate of the CA that kk stores, for each namespace that has one. */
async function keptAuthorities(secrets: SecretStore): Promise<ReadonlyMap<string, X509Certificate>> {
  const authorityTexts = [...(await secrets.list())].flatMap(([namespace, byName]) => {
    const text = byName.get('tls.authority')?.value
    return text === undefined ? [] : [[namespace, text] as const]
  })
  if (authorityTexts.length === 0) return new Map()
  const {presentCertificate} = await import('../../overrides/tls/certificates.ts')
  return new Map(
    authorityTexts.map(([namespace, text]) => [namespace, new X509Certificate(presentCertificate(text))]),
  )
}
