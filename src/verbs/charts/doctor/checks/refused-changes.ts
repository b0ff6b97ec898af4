import {isHook} from '../../../../cluster/is-hook.ts'
import {objectName} from '../../../../cluster/manifest.ts'
import type {ChartFault} from '../chart-fault.ts'
import type {ExaminedRelease} from '../examined-release.ts'
import {identity, inBoth} from '../same-object.ts'
import {touchedFields} from './immutable-fields/fields.ts'
import {undoing} from './immutable-fields/undoing.ts'
import {hasOtherTemplate} from './job-names.ts'

/** What else the cluster refuses of an upgrade, in its own words: changes of objects that it was asked for. */
export function refusedChanges({release, deployed}: ExaminedRelease): readonly ChartFault[] {
  const refusals = deployed?.refusals
  if (!refusals) return []
  return inBoth(deployed.upgrade, deployed.objects, release).flatMap(([now, there]) => {
    const {object, file} = now
    const message = refusals.get(identity(object, release))
    const isTold = touchedFields(there.object, object).length > 0 || hasOtherTemplate(now, there)
    if (message === undefined || isTold || isHook(object)) return []
    return [
      {
        check: 'refused changes',
        level: 'problem' as const,
        release,
        object: objectName(object),
        file,
        what: `the cluster refuses ${objectName(object)}, which revision ${deployed.revision} has deployed otherwise: ${message}`,
        advice: undoing(object),
      },
    ]
  })
}
