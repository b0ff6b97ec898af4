import {X509Certificate} from 'node:crypto'
import {dig} from '../base/dig.ts'
import {isMap, type Values} from '../base/values.ts'
import type {DialectChart} from '../charts/dialect.ts'
import {certificateSettings} from '../overrides/tls/certificate-need.ts'

/** The certificate of a release in an export, and what renews it. */
export interface ExportedCertificate {
  readonly release: string
  /** Its expiry date (ISO 8601); undefined if the certificate is not part of the export. */
  readonly ends: string | undefined
  readonly by: 'kk' | 'files' | 'issuer' | 'secret'
}

interface Source {
  readonly release: string
  readonly chart: DialectChart
  /** All layers, including the values that kk generates. */
  readonly values: Values
  /** The secrets that kk generates for the release. */
  readonly generated: readonly {readonly name: string; readonly isNew: boolean}[]
}

/** Returns the certificate of a release; none if TLS is off or the chart is not one of kk's own. */
export function certificatesOf({release, chart, values, generated}: Source): readonly ExportedCertificate[] {
  const tls = certificateSettings(chart, values)
  if (!tls) return []
  if (typeof tls.secret === 'string') return [{release, ends: undefined, by: 'secret'}]
  if (isMap(tls.issuer)) return [{release, ends: undefined, by: 'issuer'}]
  const text = dig(tls, 'files', 'tls.crt')
  if (typeof text !== 'string') return []
  const own = generated.find(({name}) => name === 'tls.authority')
  // A certificate that is not stored yet is issued again by kk deploy.
  return [{release, ends: own?.isNew ? undefined : expiryDate(text), by: own ? 'kk' : 'files'}]
}

function expiryDate(text: string): string | undefined {
  try {
    return new Date(new X509Certificate(text).validTo).toISOString().slice(0, 10)
  } catch {
    return undefined
  }
}

const RENEWED: Readonly<Record<ExportedCertificate['by'], string>> = {
  kk: 'issued by kk, renewed by kk secrets rotate and another export',
  files: 'from the values, renewed by their author',
  issuer: 'renewed by cert-manager',
  secret: 'from a Secret that the values name, renewed by its owner',
}

/** Returns one line per certificate, sorted by expiry. */
export function certificateLines(certificates: readonly ExportedCertificate[]): readonly string[] {
  const ordered = certificates.toSorted((a, b) => (a.ends ?? 'z').localeCompare(b.ends ?? 'z'))
  return ordered.map(({release, ends, by}) => {
    const unknown = by === 'kk' ? 'ten years from the first deploy' : 'expiry unknown'
    return `${release}: ${ends === undefined ? unknown : `expires ${ends}`}, ${RENEWED[by]}`
  })
}
