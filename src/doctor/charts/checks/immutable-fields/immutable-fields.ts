import {isHook} from '../../../../kubernetes/manifest/helm-view.ts'
import {objectName, type RenderedObject} from '../../../../kubernetes/manifest/manifest.ts'
import type {ChartFault} from '../../chart-fault.ts'
import type {ComparedRelease, ExaminedRelease} from '../../examined-release.ts'
import {mayBeRefused} from '../../refusals.ts'
import {pairObjects} from '../../same-object.ts'
import {touchedFields} from './fields.ts'
import {undoing} from './undoing.ts'

/**
 * Returns the immutable fields that an upgrade would change, so that it fails: between the deployed and the
 * rendered objects, and between these and the next version of the chart. Hooks are skipped, because helm
 * re-creates them each time.
 */
export function immutableFields({release, objects, next, deployed}: ExaminedRelease): readonly ChartFault[] {
  const before = deployed ? sinceDeployed(release, deployed) : []
  const after = pairObjects(objects.filter(isNoHook), next, release).flatMap(
    ([{object, file}, {object: later}]) =>
      touchedFields(object, later).map(({path}) => ({
        check: 'immutable fields',
        level: 'warning' as const,
        release,
        object: objectName(object),
        file,
        what: `${path} of ${objectName(object)} changes with the version of the chart or its images, and cannot be changed`,
        advice:
          'remove what changes from it, such as the label helm.sh/chart; otherwise the object must be deleted before an upgrade',
      })),
  )
  return [...before, ...after]
}

/**
 * Returns the immutable fields that differ from the deployed ones, including removed ones, which a dry run
 * does not refuse.
 */
function sinceDeployed(
  release: ExaminedRelease['release'],
  deployed: ComparedRelease,
): readonly ChartFault[] {
  const both = pairObjects(deployed.upgrade.filter(isNoHook), deployed.objects, release)
  return both.flatMap(([{object, file}, {object: deployedObject}]) => {
    const isRefused = mayBeRefused(deployed, object, release)
    return touchedFields(deployedObject, object)
      .filter(({isTakenOut}) => isTakenOut || isRefused)
      .map(({path}) => ({
        check: 'immutable fields',
        level: 'problem' as const,
        release,
        object: objectName(object),
        file,
        what: `${path} of ${objectName(object)} differs from the deployed revision ${deployed.revision}, and cannot be changed: the upgrade fails`,
        advice: undoing(object),
      }))
  })
}

function isNoHook({object}: RenderedObject): boolean {
  return !isHook(object)
}
