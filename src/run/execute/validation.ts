import type {Validation} from '../../cluster/cluster.ts'
import {KkError} from '../../errors.ts'
import type {ReleaseId} from '../../release.ts'

/** Throws `KK_INVALID_OBJECT` naming every object of the release that the API server would not accept. */
export function expectAccepted(release: ReleaseId, validations: readonly Validation[]): void {
  const refused = validations.filter((validation) => validation.outcome === 'refused')
  if (refused.length === 0) return
  const lines = refused.map(({object, message}) => `  ${object}: ${message}`)
  const objects = refused.length === 1 ? 'an object' : `${refused.length} objects`
  throw new KkError(
    'KK_INVALID_OBJECT',
    [`${release}: the cluster would not accept ${objects} of its chart`, ...lines].join('\n'),
    {hint: 'correct the values or the chart; nothing of this release was changed'},
  )
}
