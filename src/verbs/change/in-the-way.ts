import type {ApplyMethod, Cluster, KubernetesObject, Validation} from '../../cluster/cluster.ts'
import {asKkError, KkError} from '../../errors.ts'
import {droppedObjects} from '../../plan/leftovers/dropped.ts'
import {withHelmMarks} from '../../plan/leftovers/ownership.ts'
import {inTheWay} from '../../plan/rollback/refusals.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import {conflictTexts, expectNoConflicts} from '../preparation/validate-all.ts'

interface Return {
  readonly release: ReleaseId
  /** The manifests of the last revision, and of the one that is to be returned to; without hooks. */
  readonly last: readonly KubernetesObject[]
  readonly target: readonly KubernetesObject[]
  /** How the target was applied: so helm applies it again (Helm 4.2: rollback.go, --server-side=auto). */
  readonly method: ApplyMethod
}

/**
 * Throws `KK_IN_THE_WAY` for objects that exist and that the last revision of a release has no more: helm knows nothing of
 * them and gives up half way (Helm 4.2: client.go update, "original object … not found"). One that may not be read is left
 * to helm.
 */
export async function expectFreeWay(
  cluster: Pick<Cluster, 'present'>,
  returns: readonly Return[],
): Promise<void> {
  const found = await Promise.all(
    returns.map(async ({release, last, target}) => {
      const again = droppedObjects(target, last, releaseNamespace(release))
      const present = await cluster.present(releaseNamespace(release), again)
      const there = present.filter(({live, isGoing}) => live !== undefined && !isGoing)
      return {release, objects: there.map(({object}) => object)}
    }),
  )
  const blocked = found.filter(({objects}) => objects.length > 0)
  if (blocked.length > 0) throw inTheWay(blocked)
}

/**
 * Asks the API server, in a dry run, whether helm could write what is to be returned to. Throws `KK_INVALID_OBJECT` with
 * all that it refuses, `KK_CONFLICT` with all fields that somebody else manages. Who may not ask finds out when it is done.
 */
export async function expectHelmMayReturn(
  cluster: Pick<Cluster, 'validate'>,
  returns: readonly Return[],
): Promise<void> {
  const asked = await Promise.all(
    returns.map(async ({release, last, target, method}) => {
      const objects = target.map((object) => withHelmMarks(object, release))
      const writes = {method, force: false, before: last}
      const validations = await cluster
        .validate({namespace: releaseNamespace(release), objects, writes})
        .catch(unlessForbidden)
      return validations.map((validation) => ({release, validation}))
    }),
  )
  const answers = asked.flat()
  const refusals = answers.flatMap(({release, validation}) =>
    validation.outcome === 'refused' ? [`${release}: ${validation.object}: ${validation.message}`] : [],
  )
  if (refusals.length > 0) {
    throw new KkError(
      'KK_INVALID_OBJECT',
      `nothing was rolled back: the cluster would not accept:\n  ${refusals.join('\n  ')}`,
      {hint: 'bring the file back to what is wanted of the older inputs, and run kk deploy'},
    )
  }
  const names = [
    ...new Set(
      answers.filter((answer) => conflictTexts(answer).length > 0).map(({release}) => releaseName(release)),
    ),
  ]
  expectNoConflicts(
    answers.flatMap(conflictTexts),
    `take the fields from whoever the message names, then run the same command again; or bring the file back to the older inputs, and: kk upgrade ${names.join(' ')} --force-conflicts`,
  )
}

function unlessForbidden(error: unknown): readonly Validation[] {
  if (asKkError(error).code === 'KK_FORBIDDEN') return []
  throw error
}
