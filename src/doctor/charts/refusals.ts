import {isDeepStrictEqual} from 'node:util'
import {asKkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import type {Values} from '../../base/values.ts'
import type {DryRuns} from '../../kubernetes/dry-run/dry-runs.ts'
import {isHook} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {redactor} from '../../redact/redact.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import type {ComparedRelease, ExaminedRelease} from './examined-release.ts'
import {identity, pairObjects} from './same-object.ts'

interface RefusalOptions {
  readonly cluster: {readonly dryRuns: DryRuns} | undefined
  readonly valuesOf: (release: ReleaseId) => Values
}

/** Adds the refusals of a server-side dry run of the objects that an upgrade would change; skips hooks. */
export async function withRefusals(
  releases: readonly ExaminedRelease[],
  {cluster, valuesOf}: RefusalOptions,
): Promise<readonly ExaminedRelease[]> {
  if (!cluster) return releases
  return mapParallel(releases, async (each) => {
    const {release, deployed} = each
    if (!deployed) return each
    const redact = redactor(valuesOf(release))
    const refusals = await refusalsOf(release, deployed, {cluster, redact})
    return {...each, deployed: {...deployed, refusals}}
  })
}

interface Server {
  readonly cluster: {readonly dryRuns: DryRuns}
  readonly redact: (text: string) => string
}

/** Returns refusals by identity of the object; undefined if the user has no permission for a dry run. */
async function refusalsOf(
  release: ReleaseId,
  {upgrade, objects}: ComparedRelease,
  {cluster, redact}: Server,
): Promise<ComparedRelease['refusals']> {
  const changed = pairObjects(upgrade, objects, release)
    .filter(([{object}, liveObject]) => !isDeepStrictEqual(object, liveObject.object) && !isHook(object))
    .map(([{object}]) => object)
  try {
    const answers = await cluster.dryRuns.validate({
      namespace: releaseNamespace(release),
      objects: changed,
      redact,
    })
    return new Map(
      answers.flatMap((answer, index) =>
        answer.outcome === 'refused' ? [[identity(changed[index]!, release), firstLine(answer.message)]] : [],
      ),
    )
  } catch (error) {
    if (asKkError(error).code !== 'KK_FORBIDDEN') throw error
    return undefined
  }
}

/** Returns the first line of a message; the API server prints whole objects below it. */
function firstLine(message: string): string {
  return message.split('\n', 1)[0]!
}

/** Returns true if the cluster refuses the object, or if that is unknown because no dry run was possible. */
export function mayBeRefused(
  {refusals}: Pick<ComparedRelease, 'refusals'>,
  object: KubernetesObject,
  release: ReleaseId,
): boolean {
  return refusals?.has(identity(object, release)) ?? true
}
