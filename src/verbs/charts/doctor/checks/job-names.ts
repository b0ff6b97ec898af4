import {isDeepStrictEqual} from 'node:util'
import {dig} from '../../../../charts/manifests/dig.ts'
import {hooksOf} from '../../../../charts/manifests/waiter-of.ts'
import {objectName} from '../../../../cluster/manifest.ts'
import type {ChartFault} from '../chart-fault.ts'
import type {ExaminedRelease} from '../examined-release.ts'
import {inBoth} from '../same-object.ts'

/** Jobs that keep their name while their template changes, which no API server accepts. Hooks are made anew each time. */
export function jobNames({release, objects, next}: ExaminedRelease): readonly ChartFault[] {
  return inBoth(objects, next, release)
    .filter(([{object}]) => object.kind === 'Job' && hooksOf(object).length === 0)
    .filter(([one, other]) => !isDeepStrictEqual(templateOf(one), templateOf(other)))
    .map(([{object, file}]) => ({
      check: 'names of Jobs',
      level: 'warning',
      release,
      object: objectName(object),
      file,
      what: `${objectName(object)} keeps its name while its template changes, as with another image: the upgrade fails`,
      advice: 'put a digest of the template, or .Release.Revision, into its name; or make it a hook',
    }))
}

function templateOf({object}: ExaminedRelease['objects'][number]): unknown {
  return dig(object, 'spec', 'template')
}
