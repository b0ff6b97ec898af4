import {KkError} from '../../base/errors.ts'
import {suggest} from '../../base/suggest.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import {readLabels} from '../../plan/labels.ts'
import {sectionOfRecord} from '../../plan/shape.ts'
import {isNamed, type ReleaseId, releaseName} from '../../release.ts'

/**
 * Returns the release on the cluster that a name on the command line refers to: `namespace/name`, or a name.
 * If several namespaces have the name, the release of the environment is chosen. Throws `KK_UNKNOWN_RELEASE`,
 * and `KK_USAGE` if it is ambiguous.
 */
export function releaseOnCluster(
  records: readonly ReleaseRecord[],
  name: string,
  owner: string | undefined,
): ReleaseRecord {
  const named = records.filter(({release}) => isNamed(release, name))
  const own = named.filter(({labels}) => owner !== undefined && readLabels(labels)?.owner === owner)
  const [first, second] = own.length > 0 ? own : named
  if (first === undefined) throw unknown(records, name)
  if (second === undefined) return first
  const matches: readonly ReleaseId[] = (own.length > 0 ? own : named).map(({release}) => release)
  throw new KkError('KK_USAGE', `several releases are called ${name}: ${matches.join(', ')}`, {
    hint: `name one with its namespace, e.g. ${first.release}`,
  })
}

/**
 * Returns the releases that a name refers to: all parts of a split section, or the one of `releaseOnCluster`.
 */
export function releasesOnCluster(
  records: readonly ReleaseRecord[],
  name: string,
  owner: string | undefined,
): readonly ReleaseRecord[] {
  const parts = records.filter((record) => {
    const section = sectionOfRecord(record)
    const isOwn = owner === undefined || readLabels(record.labels)?.owner === owner
    return section !== undefined && isNamed(section, name) && isOwn
  })
  return parts.length > 0 ? parts : [releaseOnCluster(records, name, owner)]
}

function unknown(records: readonly ReleaseRecord[], name: string): KkError {
  const names = [...new Set(records.map(({release}) => releaseName(release)))].sort()
  const close = suggest(name, names)
  const hint = names.length === 0 ? 'it has none' : `it has: ${names.join(', ')}`
  return new KkError('KK_UNKNOWN_RELEASE', `the cluster has no release ${name}`, {
    hint: close === undefined ? hint : `did you mean ${close}?`,
  })
}
