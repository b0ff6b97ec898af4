import {gunzipSync} from 'node:zlib'
import {KkError} from '../../errors.ts'
import type {Values} from '../../release.ts'
import type {ReleaseRecord, StoredRelease} from '../cluster.ts'

/** What is read of the release that helm stores; the same in helm 3 and 4. */
interface Payload {
  readonly manifest?: string
  readonly config?: Values | null
  readonly apply_method?: string
  readonly info?: {readonly last_deployed?: string} | null
  readonly hooks?: readonly {readonly manifest?: string}[] | null
  readonly chart?: {
    readonly metadata?: {
      readonly name?: string
      readonly version?: string
      readonly appVersion?: string
      readonly annotations?: Readonly<Record<string, string>> | null
    }
    /** Beside the templates; the contents are base64. */
    readonly files?: readonly {readonly name?: string; readonly data?: string | null}[] | null
  } | null
}

/**
 * Decodes `data.release` of a record as the API hands it out: base64 (the API's) of base64 (helm's) of gzip of JSON
 * (Helm 4.2: storage/driver/util.go). Throws `KK_RECORD`.
 */
export function decodePayload(record: ReleaseRecord, data: string | undefined): StoredRelease {
  const payload = parse(record, data)
  const {name = '', version = '', appVersion = '', annotations} = payload.chart?.metadata ?? {}
  return {
    ...record,
    manifest: payload.manifest ?? '',
    values: payload.config ?? {},
    hooks: (payload.hooks ?? []).map((hook) => hook.manifest ?? ''),
    chart: {name, version, appVersion, annotations: annotations ?? {}},
    crds: (payload.chart?.files ?? [])
      .filter((file) => file.name?.startsWith('crds/') && /\.ya?ml$/.test(file.name))
      .map((file) => Buffer.from(file.data ?? '', 'base64').toString()),
    applyMethod: payload.apply_method || undefined,
    ...(payload.info?.last_deployed && {deployedAt: payload.info.last_deployed}),
  }
}

function parse(record: ReleaseRecord, data: string | undefined): Payload {
  try {
    const packed = Buffer.from(Buffer.from(data ?? '', 'base64').toString('latin1'), 'base64')
    const json = isGzip(packed) ? gunzipSync(packed) : packed
    const payload: unknown = JSON.parse(json.toString('utf8'))
    if (typeof payload === 'object' && payload !== null) return payload as Payload
    throw new Error('it is not an object')
  } catch (error) {
    throw new KkError(
      'KK_RECORD',
      `the record of revision ${record.revision} of ${record.release} (Secret ${record.secret.name}) cannot be read`,
      {
        cause: error,
        hint: 'helm passes over such a record as if the release did not exist; restore the Secret from a backup, or delete it if the revision is not needed',
      },
    )
  }
}

/** Helm reads uncompressed records too. */
function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08
}
