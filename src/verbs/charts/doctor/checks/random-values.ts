import {isDeepStrictEqual} from 'node:util'
import type {KubernetesObject} from '../../../../cluster/cluster.ts'
import {objectName} from '../../../../cluster/manifest.ts'
import type {ChartFault} from '../chart-fault.ts'
import type {ExaminedRelease} from '../examined-release.ts'
import {inBoth} from '../same-object.ts'

/**
 * Objects that two renders with the same values make differently: every upgrade changes them. What a template looks up on a
 * cluster that was not asked may well be kept.
 */
export function randomValues({
  release,
  objects,
  again,
  lookingUp,
}: Pick<ExaminedRelease, 'release' | 'objects' | 'again' | 'lookingUp'>): readonly ChartFault[] {
  if (again === objects) return []
  return inBoth(objects, again, release)
    .filter(([{file}]) => !lookingUp?.has(file))
    .map(([one, other]) => ({...one, keys: differingKeys(one.object, other.object)}))
    .filter(({keys}) => keys.length > 0)
    .map(({object, file, keys}) => ({
      check: 'random values',
      level: 'warning',
      release,
      object: objectName(object),
      file,
      what: `${objectName(object)} differs from render to render, in ${keys.join(', ')}: every upgrade changes it`,
      advice: 'give the value in the section of the release, so that the chart need not make one up',
    }))
}

function differingKeys(one: KubernetesObject, other: KubernetesObject): readonly string[] {
  return Object.keys(one).filter((key) => !isDeepStrictEqual(one[key], other[key]))
}
