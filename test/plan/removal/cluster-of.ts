import type {ReleaseRecord} from '../../../src/kubernetes/records/release-record.ts'
import type {RecordFacts} from '../../../src/plan/uses/observed.ts'
import {type Uses, usesOf} from '../../../src/plan/uses/uses.ts'
import {releaseName} from '../../../src/release.ts'
import {id} from '../../graph/graph-of.ts'
import {bareRecord, desiredOf, type Recorded, recordOf, type Wanted} from '../fixtures.ts'

/** A release as a test describes it; those without an owner are foreign. */
export interface Described extends Wanted {
  readonly status?: Recorded['status']
  /** The revision that kk last wrote; the last is 2. */
  readonly written?: number
  readonly isForeign?: boolean
  /** The requirements in the chart's annotation. */
  readonly declares?: string
  /** Namespaces that its manifest holds. */
  readonly namespaces?: readonly string[]
  readonly isUnreadable?: boolean
  /** Revisions before the last. */
  readonly earlier?: readonly ReleaseRecord[]
}

interface More {
  readonly strays?: readonly string[]
  readonly excused?: readonly string[]
}

/** Returns the uses on a cluster with these releases; names without a slash are in `openstack`. */
export function clusterOf(releases: Readonly<Record<string, Described>>, more: More = {}): Uses {
  const described = new Map(Object.entries(releases).map(([name, each]) => [id(name), each]))
  const records = Object.entries(releases).flatMap(([name, each]) => [
    ...(each.earlier ?? []),
    recordDescribed(name, each),
  ])
  const factsOf = ({release}: ReleaseRecord): RecordFacts => {
    const {declares, namespaces = [], isUnreadable} = described.get(release)!
    if (isUnreadable) return {readable: false, reason: `the record of ${releaseName(release)} is garbage`}
    const annotations: Readonly<Record<string, string>> =
      declares === undefined ? {} : {'kk.openstack.org/requires': declares}
    return {readable: true, annotations, namespaces}
  }
  return usesOf({
    revisions: records,
    factsOf,
    strays: more.strays ?? [],
    ignored: new Set(more.excused ?? []),
  })
}

function recordDescribed(
  name: string,
  {isForeign, status = 'deployed', written = 2, ...wanted}: Described,
): ReleaseRecord {
  return isForeign ? {...bareRecord(id(name)), status} : recordOf(desiredOf(name, wanted), {status, written})
}
