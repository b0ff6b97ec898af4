import {objectName, type RenderedObject} from '../../../kubernetes/manifest/manifest.ts'
import type {ChartFault} from '../chart-fault.ts'
import type {ExaminedRelease} from '../examined-release.ts'

/**
 * Returns a warning for each CRD in `crds/`, which helm creates with the first revision and never changes.
 */
export function untouchedDefinitions({release, objects}: ExaminedRelease): readonly ChartFault[] {
  return objects.filter(isUntouchedDefinition).map(({object, file}) => ({
    check: 'definitions',
    level: 'warning',
    release,
    object: objectName(object),
    file,
    what: `${objectName(object)} is in crds/: no helm upgrade applies a newer one`,
    advice: `if the chart has a newer one: kubectl apply --server-side -f ${file}`,
  }))
}

export function isUntouchedDefinition({object, file}: RenderedObject): boolean {
  return object.kind === 'CustomResourceDefinition' && /(?:^|\/)crds\//.test(file)
}
