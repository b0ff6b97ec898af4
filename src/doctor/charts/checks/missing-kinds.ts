import {definedKinds, servesKind} from '../../../kubernetes/inventory/custom-kinds.ts'
import {isHook} from '../../../kubernetes/manifest/helm-view.ts'
import {apiGroup, objectName, type RenderedObject} from '../../../kubernetes/manifest/manifest.ts'
import type {ChartFault} from '../chart-fault.ts'
import type {ExaminedRelease} from '../examined-release.ts'
import {installPhase, isLater} from './deadlocks/install-phase.ts'
import {isUntouchedDefinition} from './untouched-definitions.ts'

/**
 * Returns the custom resources whose CRD the same chart creates with them or after them. Helm looks up the
 * kinds of all objects except hooks before it creates any, and the kind of each hook right before it (Helm
 * 4.2: install.go RunWithContext).
 */
export function missingKinds(
  {release, atFirst}: Pick<ExaminedRelease, 'release' | 'atFirst'>,
  served: readonly string[],
): readonly ChartFault[] {
  const definitions = atFirst.filter(
    (each) => each.object.kind === 'CustomResourceDefinition' && !isUntouchedDefinition(each),
  )
  const isServed = servesKind(served)
  return atFirst.flatMap((each) => {
    const {object, file} = each
    const kind = {group: apiGroup(object.apiVersion), kind: object.kind}
    const defining = definitions.find((one) => servesKind(definedKinds([one.object]))(kind))
    if (!defining || isServed(kind) || isEarlier(defining, each)) return []
    const definition = objectName(defining.object)
    return [
      {
        check: 'missing kinds',
        level: 'problem' as const,
        release,
        object: objectName(object),
        file,
        what: `${objectName(object)} is of a kind that the same chart defines too late, with ${definition} (${defining.file}): if the cluster does not have it yet, helm fails with "no matches for kind"`,
        advice: `move ${definition} to crds/ of the chart, or to a separate chart that is deployed before`,
      },
    ]
  })
}

/** Returns true if helm has created the CRD when it looks up the kind of the other object. */
function isEarlier({object: definition}: RenderedObject, {object}: RenderedObject): boolean {
  return isHook(object) && isLater(installPhase(object), installPhase(definition))
}
