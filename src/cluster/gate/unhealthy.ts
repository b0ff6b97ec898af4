import {KkError} from '../../errors.ts'
import type {Blame} from '../cluster.ts'
import {describeCulprit} from './describe-blame.ts'

const MOST_NAMED = 5

/** The error of a gate that stays closed: names objects, pods, containers and reasons; `log` has the container's last lines. */
export function unhealthy(blames: readonly Blame[], why: string): KkError {
  const named = blames.slice(0, MOST_NAMED).map(describeCulprit)
  const more = blames.length > MOST_NAMED ? [`and ${blames.length - MOST_NAMED} more`] : []
  const log = blames.find((blame) => blame.log && blame.log.length > 0)?.log ?? []
  return new KkError('KK_UNHEALTHY', `${why}: ${[...named, ...more].join(' · ')}`, {
    hint: hintFor(blames),
    log,
  })
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/Image/, "check the image's name and tag, and that the nodes can pull it"],
  [/CreateContainerConfigError/, 'a ConfigMap or Secret that the container needs is missing'],
  [
    /Unschedulable|SchedulingGated/,
    'give the nodes the labels or the room that the pod asks for, or ask for less in the values',
  ],
  [
    /CrashLoopBackOff|Error|OOMKilled/,
    "the container's last lines say why it ends; correct the values and deploy again",
  ],
]

function hintFor(blames: readonly Blame[]): string {
  const unbound = blames.find((blame) => blame.object.startsWith('PersistentVolumeClaim/'))
  if (unbound)
    return 'check the storage class and that volumes of it are to be had (kubectl get storageclass,pv)'
  const reasons = blames.map((blame) => blame.reason ?? '').join(' ')
  const known = HINTS.find(([pattern]) => pattern.test(reasons))?.[1]
  if (known) return known
  const [first] = blames
  const what = first?.pod ? `pod ${first.pod}` : (first?.object ?? 'pods')
  return `look closer with kubectl describe ${what}${first?.namespace ? ` -n ${first.namespace}` : ''}`
}
