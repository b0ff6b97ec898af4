import {hookDeletePolicies} from '../../../kubernetes/manifest/helm-view.ts'
import {objectName} from '../../../kubernetes/manifest/manifest.ts'
import {dataOfHooks, dataWith} from '../../../plan/removal/hook-data.ts'
import type {ChartFault} from '../chart-fault.ts'
import type {ExaminedRelease} from '../examined-release.ts'

/**
 * Returns a problem for each hook of upgrades that holds data: helm deletes it before it makes it again. One that is
 * deleted when it has succeeded is not meant to last.
 */
export function recreatedData({release, objects}: ExaminedRelease): readonly ChartFault[] {
  return objects
    .filter(({object}) => dataOfHooks([object], 'upgrade').length > 0)
    .filter(({object}) => !hookDeletePolicies(object).includes('hook-succeeded'))
    .map(({object, file}) => ({
      check: 'data of hooks',
      level: 'problem',
      release,
      object: objectName(object),
      file,
      what: `${objectName(object)} is a hook of upgrades: each upgrade deletes it ${dataWith(object)}, and makes it again`,
      advice:
        'make it without helm.sh/hook, or for pre-install alone; a deploy asks for --confirm-data before it goes',
    }))
}
