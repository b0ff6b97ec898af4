import {isHook} from '../../../../kubernetes/manifest/helm-view.ts'
import {objectName, type RenderedObject} from '../../../../kubernetes/manifest/manifest.ts'
import type {ChartFault} from '../../chart-fault.ts'
import type {ComparedRelease, ExaminedRelease} from '../../examined-release.ts'
import {mayBeRefused} from '../../refusals.ts'
import {inBoth} from '../../same-object.ts'
import {touchedFields} from './fields.ts'
import {undoing} from './undoing.ts'

/**
 * Returns the immutable fields that an upgrade would change, so that it fails: between what is deployed and what is
 * rendered now, and between that and the next version of the chart. Hooks are left out, for helm makes them anew each
 * time.
 */
export function immutableFields({release, objects, next, deployed}: ExaminedRelease): readonly ChartFault[] {
  const before = deployed ? sinceDeployed(release, deployed) : []
  const after = inBoth(objects.filter(isNoHook), next, release).flatMap(([{object, file}, {object: later}]) =>
    touchedFields(object, later).map(({path}) => ({
      check: 'immutable fields',
      level: 'warning' as const,
      release,
      object: objectName(object),
      file,
      what: `${path} of ${objectName(object)} changes with the version of the chart or its images, and cannot be changed`,
      advice: `take what changes out of it, such as the label helm.sh/chart; else the object must go before an upgrade`,
    })),
  )
  return [...before, ...after]
}

/** Returns the immutable fields unlike those deployed, also what was taken out, which a dry run does not refuse. */
function sinceDeployed(
  release: ExaminedRelease['release'],
  deployed: ComparedRelease,
): readonly ChartFault[] {
  const both = inBoth(deployed.upgrade.filter(isNoHook), deployed.objects, release)
  return both.flatMap(([{object, file}, {object: there}]) => {
    const isRefused = mayBeRefused(deployed, object, release)
    return touchedFields(there, object)
      .filter(({isTakenOut}) => isTakenOut || isRefused)
      .map(({path}) => ({
        check: 'immutable fields',
        level: 'problem' as const,
        release,
        object: objectName(object),
        file,
        what: `${path} of ${objectName(object)} is not as revision ${deployed.revision} has deployed it, and cannot be changed: the upgrade fails`,
        advice: undoing(object),
      }))
  })
}

function isNoHook({object}: RenderedObject): boolean {
  return !isHook(object)
}
