import {X509Certificate} from 'node:crypto'
import {dig} from '../base/dig.ts'
import {isMap, type Values} from '../base/values.ts'
import type {SpokenChart} from '../charts/dialect.ts'
import {certificateSettings} from '../overrides/tls/certificate-need.ts'

/** The certificate of a release in an export, and who renews it. */
export interface ExportedCertificate {
  readonly release: string
  /** When it ends, as a date (ISO 8601); undefined if the export does not have it. */
  readonly ends: string | undefined
  readonly by: 'kk' | 'files' | 'issuer' | 'secret'
}

interface Source {
  readonly release: string
  readonly chart: SpokenChart
  /** All layers, with what kk makes. */
  readonly values: Values
  /** The secrets that kk gives the release. */
  readonly made: readonly {readonly name: string; readonly isNew: boolean}[]
}

/** Returns the certificate of a release; none where TLS is off, or the chart is none of kk's own. */
export function certificatesOf({release, chart, values, made}: Source): readonly ExportedCertificate[] {
  const tls = certificateSettings(chart, values)
  if (!tls) return []
  if (typeof tls.secret === 'string') return [{release, ends: undefined, by: 'secret'}]
  if (isMap(tls.issuer)) return [{release, ends: undefined, by: 'issuer'}]
  const text = dig(tls, 'files', 'tls.crt')
  if (typeof text !== 'string') return []
  const own = made.find(({name}) => name === 'tls.authority')
  // What is not kept yet is made another time by kk deploy.
  return [{release, ends: own?.isNew ? undefined : endOf(text), by: own ? 'kk' : 'files'}]
}

function endOf(text: string): string | undefined {
  try {
    return new Date(new X509Certificate(text).validTo).toISOString().slice(0, 10)
  } catch {
    return undefined
  }
}

const RENEWED: Readonly<Record<ExportedCertificate['by'], string>> = {
  kk: 'made by kk, renewed by kk secrets rotate and another export',
  files: 'of the values, renewed by who stated it',
  issuer: 'renewed by cert-manager',
  secret: 'of a Secret that the values name, renewed by who made it',
}

/** Returns a line for each certificate, the first to end first. */
export function certificateLines(certificates: readonly ExportedCertificate[]): readonly string[] {
  const ordered = certificates.toSorted((a, b) => (a.ends ?? 'z').localeCompare(b.ends ?? 'z'))
  return ordered.map(({release, ends, by}) => {
    const unknown = by === 'kk' ? 'ten years from the first deploy' : 'end not known here'
    return `${release}: ${ends === undefined ? unknown : `ends ${ends}`}, ${RENEWED[by]}`
  })
}
