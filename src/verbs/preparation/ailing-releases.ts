import type {Cluster} from '../../cluster/cluster.ts'
import {describeBlame} from '../../cluster/gate/describe-blame.ts'
import {parseManifest} from '../../cluster/manifest.ts'
import {mapParallel} from '../../cluster/parallel.ts'
import {asKkError} from '../../errors.ts'
import {redactor} from '../../helm/redact/redact.ts'
import {type Action, isChange} from '../../plan/plan.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import {preparedMask} from '../environment-mask.ts'
import type {Prepared} from './prepare.ts'

/** How many records are read at once: each is up to 1 MiB. */
const READERS = 8

/**
 * What is already ill of that which a plan only checks, a line each: the plan would fail for it, and not by its own fault.
 * What cannot be read, or may not be, is found when the plan is run.
 */
export async function ailingNotes(
  actions: readonly Action[],
  prepared: Pick<Prepared, 'releases'>,
  cluster: Pick<Cluster, 'stored' | 'health'>,
): Promise<readonly string[]> {
  if (!actions.some(isChange)) return []
  const checked = actions.filter(({kind, recheck}) => kind === 'check' || recheck === true)
  const found = await mapParallel(checked, READERS, async ({release}) => {
    const why = await whyIll(cluster, release)
    return why === undefined ? [] : [{release, why}]
  })
  const ill = found.flat()
  if (ill.length === 0) return []
  const mask = preparedMask(prepared)
  return ill.map(
    ({release, why}) =>
      `${releaseName(release)} is not healthy now, before anything changes, and must be afterwards: ${mask(why)}`,
  )
}

async function whyIll(
  cluster: Pick<Cluster, 'stored' | 'health'>,
  release: ReleaseId,
): Promise<string | undefined> {
  try {
    const stored = await cluster.stored(release)
    if (!stored) return undefined
    const health = await cluster.health(releaseNamespace(release), parseManifest(stored.manifest))
    const [first, ...others] = health.state === 'healthy' ? [] : health.blames
    if (!first) return undefined
    const more = others.length === 0 ? '' : `, and ${others.length} more`
    return `${redactor(stored.values)(describeBlame(first))}${more}`
  } catch (error) {
    const {code} = asKkError(error)
    if (code === 'KK_FORBIDDEN' || code === 'KK_RECORD') return undefined
    throw error
  }
}
