import type {StoredRelease} from '../../cluster/cluster.ts'
import {storedObjects} from '../../cluster/manifest.ts'
import {KkError} from '../../errors.ts'
import {CHANGE_WORDS} from '../../plan/changes/change-kind.ts'
import {type ChangeVerb, refusedVerb, VERB_TABLE} from '../../plan/changes/change-verb.ts'
import {imageChanges} from '../../plan/changes/images.ts'
import type {Plan} from '../../plan/plan.ts'
import {unsupported} from '../../plan/versions/unsupported.ts'
import type {ReleaseId} from '../../release.ts'
import type {Rendered} from './rendering/render.ts'

/** The rendered objects of a plan, and the revisions that they are compared with. */
export interface RenderedChange {
  readonly plan: Plan
  readonly rendered: Rendered
  readonly previous: ReadonlyMap<ReleaseId, readonly StoredRelease[]>
}

/**
 * Throws `KK_VERB` with every container whose image changes, for a verb that changes no images. The check is exact: it
 * compares rendered objects, while the plan compares names of values.
 */
export function expectSameImages({rendered, previous}: RenderedChange, verb: ChangeVerb): void {
  if (VERB_TABLE[verb].image) return
  const lines = [...previous].flatMap(([release, stored]) =>
    stored.flatMap((before) =>
      imageChanges(storedObjects(before), rendered.get(release) ?? []).map(
        ({container, from, to}) =>
          `  ${release}: ${CHANGE_WORDS.image}: ${container} ${from === undefined ? 'gets' : `${from} →`} ${to}`,
      ),
    ),
  )
  if (lines.length > 0) throw refusedVerb(verb, 'update', [...new Set(lines)])
}

/**
 * Throws `KK_VERSION` with each release that would go back to an older version, or skip versions of OpenStack that it
 * may not skip.
 */
export function expectSupportedVersions({plan, rendered, previous}: RenderedChange): void {
  const lines = plan.actions.flatMap(({release, chart}) => {
    const after = {appVersion: chart.appVersion, objects: rendered.get(release) ?? []}
    return (previous.get(release) ?? []).flatMap((stored) =>
      unsupported({appVersion: stored.chart.appVersion, objects: storedObjects(stored)}, after).map(
        (problem) => `  ${release}: ${problem}`,
      ),
    )
  })
  if (lines.length === 0) return
  throw new KkError(
    'KK_VERSION',
    ['OpenStack does not support this way from release to release:', ...new Set(lines)].join('\n'),
    {hint: 'nothing was changed; if you know that it works all the same: --force-version'},
  )
}
