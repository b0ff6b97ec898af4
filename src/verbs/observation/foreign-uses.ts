import type {Cluster, ReleaseRecord} from '../../cluster/cluster.ts'
import {mapParallel} from '../../cluster/parallel.ts'
import {asKkError} from '../../errors.ts'
import type {Edge} from '../../graph/graph.ts'
import {readLabels} from '../../plan/labels.ts'
import {declaredIn, meant} from '../../plan/removal/declared.ts'
import type {ReleaseId} from '../../release.ts'

/** What releases that kk did not install use, as their charts say. */
export interface ForeignUses {
  readonly edges: readonly Edge[]
  /** Those that cannot be read: they may use anything. */
  readonly unreadable: readonly ReleaseId[]
}

/** Each record holds a whole chart. */
const AT_ONCE = 8

/** A reader that downloads each record once, however often it looks. It is given the last record of each release. */
export function foreignUsesReader(
  cluster: Pick<Cluster, 'stored'>,
): (records: readonly ReleaseRecord[]) => Promise<ForeignUses> {
  const known = new Map<string, readonly string[] | 'unreadable'>()
  const declaredBy = async ({release, revision, secret}: ReleaseRecord) => {
    const version = `${secret.uid} ${secret.resourceVersion}`
    const found = known.get(version) ?? (await declared(cluster, release, revision))
    known.set(version, found)
    return found
  }
  return async (records) => {
    const all = records.map(({release}) => release)
    const foreign = records.filter(({labels, status}) => !readLabels(labels) && status !== 'uninstalled')
    const uses = await mapParallel(foreign, AT_ONCE, async (record) => ({
      from: record.release,
      names: await declaredBy(record),
    }))
    return {
      edges: uses.flatMap(({from, names}) =>
        names === 'unreadable'
          ? []
          : names
              .flatMap((name) => meant(name, from, all))
              .map((to): Edge => ({from, to, kind: 'ready', evidence: []})),
      ),
      unreadable: uses.filter(({names}) => names === 'unreadable').map(({from}) => from),
    }
  }
}

async function declared(
  cluster: Pick<Cluster, 'stored'>,
  release: ReleaseId,
  revision: number,
): Promise<readonly string[] | 'unreadable'> {
  try {
    return declaredIn((await cluster.stored(release, revision))?.chart.annotations ?? {})
  } catch (error) {
    const {code} = asKkError(error)
    if (code === 'KK_RECORD' || code === 'KK_FORBIDDEN') return 'unreadable'
    throw error
  }
}
