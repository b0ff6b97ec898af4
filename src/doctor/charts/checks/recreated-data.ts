import {hookDeletePolicies} from '../../../kubernetes/manifest/helm-view.ts'
import {objectName} from '../../../kubernetes/manifest/manifest.ts'
import {dataOfHooks, dataWith} from '../../../plan/removal/hook-data.ts'
import type {ChartFault} from '../chart-fault.ts'
import type {ExaminedRelease} from '../examined-release.ts'

/**
 * Returns a problem for each upgrade hook that contains data: helm deletes it before it re-creates it. A hook
 * that is deleted on success is temporary anyway.
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
      what: `${objectName(object)} is an upgrade hook: each upgrade deletes it ${dataWith(object)}, and re-creates it`,
      advice:
        'create it without helm.sh/hook, or for pre-install only; a deploy requires --confirm-data before it is deleted',
    }))
}
