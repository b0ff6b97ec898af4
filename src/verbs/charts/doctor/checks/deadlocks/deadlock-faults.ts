import {podTemplate} from '../../../../../charts/manifests/pods.ts'
import {objectName} from '../../../../../cluster/manifest.ts'
import type {Want} from '../../../../../graph/inference/facts.ts'
import {wantText} from '../../../../../graph/inference/infer.ts'
import {releaseName} from '../../../../../release.ts'
import type {ChartFault} from '../../chart-fault.ts'
import type {Step} from './circle.ts'
import {placeOf} from './events.ts'
import type {Owned} from './makers.ts'
import {momentOf} from './moment.ts'

/** A hook whose end needs itself, by these steps. */
export function circleFault(hook: Owned, circle: readonly Step[], objects: readonly Owned[]): ChartFault {
  const at = (event: Step['from']) => objects[placeOf(event)]!
  const nameOf = ({object, release}: Owned) =>
    release === hook.release ? objectName(object) : `${objectName(object)} of ${releaseName(release)}`
  const clauses = circle.flatMap(({from, to, need: {want}}) => {
    const [one, other] = [at(from), at(to)]
    if (want) {
      const awaited = one === other ? 'itself' : nameOf(other)
      return [`${nameOf(one)} waits for ${awaited} (${textOf(want, other)})`]
    }
    if (one === other) return []
    return from.startsWith('made')
      ? [`helm makes ${nameOf(one)} only after ${nameOf(other)} has ended`]
      : [`the pods behind ${nameOf(one)} are those of ${nameOf(other)}`]
  })
  return {
    ...placeOfFault(hook),
    level: 'problem',
    what: `the hook ${objectName(hook.object)} never ends: ${clauses.join('; ')}`,
    advice: adviceFor(hook, at(circle.at(-1)!.from), circle.at(-1)!),
  }
}

/** `last` is what needs the end of the hook in the end. */
function adviceFor(hook: Owned, last: Owned, {need: {want}}: Step): string {
  const [name, other] = [objectName(hook.object), objectName(last.object)]
  if (want) return `take the wait for ${name} out of ${hook === last ? 'it' : other}`
  const stage = momentOf(last.object).stage
  if (stage !== 'with' && stage === momentOf(hook.object).stage)
    return `give ${other} a lower helm.sh/hook-weight than ${name}`
  const isServing = last.object.kind === 'Service' || podTemplate(last.object) !== undefined
  const later = `${name} a post-install hook`
  return isServing
    ? `make ${later}`
    : `make ${other} a hook of the same stage with a lower weight, or ${later}`
}

/** Pods that wait for a hook which helm starts after them. */
export interface LateHook {
  readonly waiting: Owned
  readonly hook: Owned
  readonly want: Want
}

/** One word on all of them: it matters to those alone who deploy with `helm --wait`, too. */
export function lateHooksFault(late: readonly LateHook[]): readonly ChartFault[] {
  const [first] = late
  if (!first) return []
  const {waiting, hook, want} = first
  const releases = new Set(late.map((each) => releaseName(each.waiting.release)))
  const others = releases.size === 1 ? '' : ` and ${releases.size - 1} more`
  const more = late.length === 1 ? '' : `, and ${late.length - 1} more such`
  return [
    {
      ...placeOfFault(waiting),
      level: 'info',
      what: `${releaseName(waiting.release)}${others}: ${objectName(waiting.object)} waits for the hook ${objectName(hook.object)} (${textOf(want, hook)}), which helm starts after it${more}: well, but not with helm --wait`,
    },
  ]
}

function placeOfFault({release, object, file}: Owned) {
  return {check: 'deadlocks', release, object: objectName(object), file} as const
}

function textOf(want: Want, {object}: Owned): string {
  return wantText(want, {object: objectName(object)})
}
