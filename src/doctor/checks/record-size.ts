import {gzipSync} from 'node:zlib'
import {defaultValues} from '../../charts/default-values.ts'
import {readOwnFiles} from '../../charts/own-files.ts'
import {releaseName} from '../../release.ts'
import type {Change, CheckResult, NextRevision} from './change.ts'

/** The size limit of a Secret, in bytes (Kubernetes 1.36: MaxSecretSize). */
export const MAX_RECORD_BYTES = 2 ** 20

/** The size above which a record is noted, in bytes. */
export const LARGE_RECORD_BYTES = 700_000

/** The relative error of the estimate, because helm stores manifests as rendered, with comments. */
const ESTIMATE_ERROR = 0.03

/** Returns the releases whose next record would exceed the limit of a Secret, or come near it. */
export function recordSizes({next}: Change): readonly CheckResult[] {
  return [...next].flatMap(([release, revision]): readonly CheckResult[] => {
    if (!revision.source) return []
    const {bytes, parts} = recordSize(revision, revision.source)
    if (bytes <= LARGE_RECORD_BYTES) return []
    const isTooLarge = bytes > MAX_RECORD_BYTES * (1 + ESTIMATE_ERROR)
    const most = parts
      .toSorted((one, other) => other.size - one.size)
      .slice(0, 3)
      .map(({name, size}) => `${name} (${Math.round(size / 1000)} kB)`)
    const what = `${release}: its helm record would have about ${Math.round(bytes / 1000)} kB, ${isTooLarge ? 'more than' : `${Math.floor((bytes / MAX_RECORD_BYTES) * 100)} % of`} the limit of a Secret (1 MiB); the largest parts: ${most.join(', ')}`
    const advice = `exclude files that are not templates from the chart of ${releaseName(release)} with .helmignore, and large strings from its values`
    return [{what, advice, ...(isTooLarge && {refusal: 'KK_TOO_LARGE' as const})}]
  })
}

interface Part {
  readonly name: string
  readonly size: number
  readonly text: string
}

/**
 * Returns the estimated size of the record of a revision in a Secret, in bytes, and its uncompressed parts.
 * Helm stores base64 of gzip of JSON, in which the chart's own files are base64; neither its Chart.yaml and
 * values.yaml as files, nor its dependencies (Helm 4.2: chart.go, storage/driver/util.go encodeRelease).
 */
function recordSize(
  {objects}: Pick<NextRevision, 'objects'>,
  {chart, values}: NonNullable<NextRevision['source']>,
): {readonly bytes: number; readonly parts: readonly Part[]} {
  const part = (name: string, text: string): Part => ({name, size: text.length, text})
  const parts = [
    ...readOwnFiles(chart)
      .filter(({path}) => !path.startsWith('charts/') && !NOT_STORED.has(path))
      .map(({path, bytes}) => ({...part(path, bytes.toString('base64')), size: bytes.length})),
    part('defaults of the chart', JSON.stringify(defaultValues(chart.directory))),
    part('values', JSON.stringify(values)),
    part('manifest', objects.map(({object}) => JSON.stringify(object)).join('\n')),
  ]
  const json = parts.map(({text}) => text).join('\n')
  // Compression is skipped if the record fits uncompressed.
  const fits = json.length * BASE64 <= LARGE_RECORD_BYTES
  const packed = fits ? json.length : gzipSync(json, {level: 9}).length
  return {bytes: Math.ceil(packed * BASE64), parts}
}

const NOT_STORED: ReadonlySet<string> = new Set(['Chart.yaml', 'values.yaml', '.helmignore'])
const BASE64 = 4 / 3
