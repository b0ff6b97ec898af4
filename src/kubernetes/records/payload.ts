import {gunzipSync, gzipSync} from 'node:zlib'
import {KkError} from '../../base/errors.ts'
import type {Values} from '../../base/values.ts'
import type {ReleaseRecord, StoredRelease} from './release-record.ts'

interface Hook {
  readonly name?: string
  readonly kind?: string
  readonly manifest?: string
  readonly last_run?: {readonly phase?: string; readonly completed_at?: string} | null
}

/** The parts that are read of the release that helm stores; the same in helm 3 and 4. */
interface Payload {
  readonly namespace?: string
  readonly manifest?: string
  readonly config?: Values | null
  readonly apply_method?: string
  readonly info?: {readonly first_deployed?: string; readonly last_deployed?: string} | null
  readonly hooks?: readonly Hook[] | null
  readonly chart?: {
    readonly metadata?: {
      readonly name?: string
      readonly version?: string
      readonly appVersion?: string
      readonly annotations?: Readonly<Record<string, string>> | null
    }
    /** The files except the templates; their contents are base64. */
    readonly files?: readonly {readonly name?: string; readonly data?: string | null}[] | null
  } | null
}

/**
 * Decodes `data.release` of a record as the API returns it: base64 (the API's) of base64 (helm's) of gzip of
 * JSON (Helm 4.2: storage/driver/util.go). Throws `KK_RECORD`.
 */
export function decodePayload(record: ReleaseRecord, data: string | undefined): StoredRelease {
  const payload = parse(record, data)
  const {name = '', version = '', appVersion = '', annotations} = payload.chart?.metadata ?? {}
  const {first_deployed: first, last_deployed: last} = payload.info ?? {}
  return {
    ...record,
    manifest: payload.manifest ?? '',
    values: payload.config ?? {},
    hooks: (payload.hooks ?? []).map((hook) => hook.manifest ?? ''),
    ranHooks: (payload.hooks ?? []).filter(hasSucceeded).map((hook) => hook.manifest ?? ''),
    openHooks: (payload.hooks ?? []).filter((hook) => !hasSucceeded(hook)).map((hook) => hook.manifest ?? ''),
    hookRuns: (payload.hooks ?? []).map(({manifest = '', last_run: run}) => ({
      manifest,
      phase: run?.phase ?? '',
      ...(run?.completed_at && {completedAt: run.completed_at}),
    })),
    isInstall: first !== undefined && first === last,
    chart: {name, version, appVersion, annotations: annotations ?? {}},
    crds: (payload.chart?.files ?? [])
      .filter((file) => file.name?.startsWith('crds/') && /\.ya?ml$/.test(file.name))
      .map((file) => Buffer.from(file.data ?? '', 'base64').toString()),
    applyMethod: payload.apply_method || undefined,
    bytes: Buffer.byteLength(data ?? '', 'base64'),
    ...(payload.namespace && {namespace: payload.namespace}),
    ...(last && {deployedAt: last}),
  }
}

function hasSucceeded(hook: Hook): boolean {
  return hook.last_run?.phase === 'Succeeded'
}

/** The changes of a record: strings of its `info`, and the hooks that failed, as `Job/migrate`. */
interface RecordChanges {
  readonly info: Readonly<Record<string, string>>
  readonly failedHooks?: readonly string[]
}

/**
 * Returns `data.release` with these changes. Numbers keep their notation, which JavaScript numbers would
 * lose. Throws `KK_RECORD`.
 */
export function withChanges(
  record: ReleaseRecord,
  data: string | undefined,
  {info, failedHooks = []}: RecordChanges,
): string {
  const payload = parse(record, data, verbatimNumber)
  const hooks = payload.hooks?.map((hook) =>
    failedHooks.includes(`${hook.kind}/${hook.name}`)
      ? {...hook, last_run: {...hook.last_run, phase: 'Failed'}}
      : hook,
  )
  const json = JSON.stringify({...payload, info: {...payload.info, ...info}, ...(hooks && {hooks})})
  const packed = gzipSync(json, {level: 9})
  return Buffer.from(packed.toString('base64')).toString('base64')
}

/**
 * The reviver of ECMAScript's JSON.parse with source text access, which TypeScript's types do not have yet.
 */
type Reviver = (this: unknown, key: string, value: unknown, context: {readonly source: string}) => unknown
const {parse: parseJson, rawJSON} = JSON as unknown as {
  parse(text: string, reviver?: Reviver): unknown
  rawJSON(text: string): object
}
const verbatimNumber: Reviver = (_key, value, {source}) =>
  typeof value === 'number' ? rawJSON(source) : value

function parse(record: ReleaseRecord, data: string | undefined, reviver?: Reviver): Payload {
  try {
    const packed = Buffer.from(Buffer.from(data ?? '', 'base64').toString('latin1'), 'base64')
    const json = isGzip(packed) ? gunzipSync(packed) : packed
    const payload = parseJson(json.toString('utf8'), reviver)
    if (typeof payload === 'object' && payload !== null) return payload as Payload
    throw new Error('it is not an object')
  } catch (error) {
    throw new KkError(
      'KK_RECORD',
      `the record of revision ${record.revision} of ${record.release} (Secret ${record.secret.name}) cannot be read`,
      {
        cause: error,
        hint: 'helm ignores such a record, as if the release did not exist; restore the Secret from a backup, or delete it if the revision is not needed',
      },
    )
  }
}

/** Whether a record is compressed; helm also reads uncompressed ones. */
function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08
}
