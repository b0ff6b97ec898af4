import {isDeepStrictEqual} from 'node:util'
import {dig} from '../../../base/dig.ts'
import {isHook} from '../../../kubernetes/manifest/helm-view.ts'
import {objectName, type RenderedObject} from '../../../kubernetes/manifest/manifest.ts'
import type {ChartFault} from '../chart-fault.ts'
import type {ExaminedRelease} from '../examined-release.ts'
import {mayBeRefused} from '../refusals.ts'
import {pairObjects} from '../same-object.ts'

const ADVICE = 'include a digest of the template, or .Release.Revision, in its name; or make it a hook'

/**
 * Returns the Jobs that keep their name while their template changes, which the API server refuses: since
 * they were deployed, or with other images. Hooks are skipped, because helm re-creates them each time.
 */
export function jobNames({release, objects, next, deployed}: ExaminedRelease): readonly ChartFault[] {
  const changed = (one: readonly RenderedObject[], other: readonly RenderedObject[]) =>
    pairObjects(one, other, release)
      .filter(([one, other]) => hasOtherTemplate(one, other))
      .map(([{object, file}]) => ({name: objectName(object), object, file}))
  const refused = changed(deployed?.upgrade ?? [], deployed?.objects ?? []).filter(({object}) =>
    // If the Job no longer exists, the cluster refuses nothing: helm re-creates it.
    mayBeRefused(deployed!, object, release),
  )
  const fault = ({name, file}: {readonly name: string; readonly file: string}) =>
    ({check: 'names of Jobs', release, object: name, file}) as const
  return [
    ...refused.map((job) => ({
      ...fault(job),
      level: 'problem' as const,
      what: `${job.name} keeps its name, but its template differs from the deployed revision ${deployed!.revision}: the upgrade fails`,
      advice: `delete ${job.name} before the upgrade, which re-creates it; or ${ADVICE}`,
    })),
    ...changed(objects, next).map((job) => ({
      ...fault(job),
      level: 'warning' as const,
      what: `${job.name} keeps its name while its template changes, for example with another image: the upgrade fails`,
      advice: ADVICE,
    })),
  ]
}

/** Returns true if two objects are the same Job, not a hook, with different templates. */
export function hasOtherTemplate(one: RenderedObject, other: RenderedObject): boolean {
  return isPlainJob(one) && !isDeepStrictEqual(templateOf(one), templateOf(other))
}

function isPlainJob({object}: RenderedObject): boolean {
  return object.kind === 'Job' && !isHook(object)
}

function templateOf({object}: RenderedObject): unknown {
  return dig(object, 'spec', 'template')
}
