import {KkError} from '../base/errors.ts'
import {storedObjects} from '../kubernetes/manifest/manifest.ts'
import type {StoredRelease} from '../kubernetes/records/release-record.ts'
import {CHANGE_WORDS} from '../plan/changes/change-kind.ts'
import {type ChangeVerb, excludedChanges, refusedVerb, sufficientVerb} from '../plan/changes/change-verb.ts'
import {imageChanges} from '../plan/changes/images.ts'
import type {Plan} from '../plan/plan.ts'
import {isOtherRelease, releaseOfImage} from '../plan/versions/openstack-release.ts'
import {unsupported} from '../plan/versions/unsupported.ts'
import type {ReleaseId} from '../release.ts'
import type {Rendered} from './rendering/render.ts'

/** The rendered objects of a plan, and the revisions that they are compared with. */
export interface RenderedChange {
  readonly plan: Plan
  readonly rendered: Rendered
  readonly previous: ReadonlyMap<ReleaseId, readonly StoredRelease[]>
}

/**
 * Throws `KK_VERB` with every container whose image changes, for a verb that must not change images, or not
 * to another release of OpenStack. The check is exact: it compares rendered objects, while the plan compares
 * keys of values.
 */
export function expectSameImages({rendered, previous}: RenderedChange, verb: ChangeVerb): void {
  const refusedChanges = [...previous].flatMap(([release, stored]) =>
    stored.flatMap((before) =>
      imageChanges(storedObjects(before), rendered.get(release) ?? []).flatMap(({container, from, to}) => {
        const isOther = isOtherRelease(releaseOfImage(from ?? ''), releaseOfImage(to))
        const change = isOther ? 'openstack-release' : 'image'
        const imageChange = `${container} ${from === undefined ? 'gets' : `${from} →`} ${to}`
        const line = `  ${release}: ${CHANGE_WORDS[change]}: ${imageChange}`
        return excludedChanges(verb, [change]).map((kind) => ({change: kind, line}))
      }),
    ),
  )
  if (refusedChanges.length === 0) return
  const needed = sufficientVerb(refusedChanges.map(({change}) => change))
  throw refusedVerb(verb, needed, [...new Set(refusedChanges.map(({line}) => line))])
}

/** Throws `KK_VERSION` with each release that would be downgraded, or skip required versions of OpenStack. */
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
