import {dig} from '../../../../../charts/manifests/dig.ts'
import {podTemplate} from '../../../../../charts/manifests/pods.ts'
import {waiterOf} from '../../../../../charts/manifests/waiter-of.ts'
import {wantsOf} from '../../../../../charts/manifests/wants-of.ts'
import type {KubernetesObject} from '../../../../../cluster/cluster.ts'
import {isHook} from '../../../../../cluster/is-hook.ts'
import type {Want} from '../../../../../graph/inference/facts.ts'
import {releaseNamespace} from '../../../../../release.ts'
import {makersAmong, type Owned} from './makers.ts'
import {isLater, momentOf} from './moment.ts'

/** An object is made, or it is done: ready, or at its end. By its place among the objects. */
export type Event = `${'made' | 'done'} ${number}`

/** The place of the object of an event. */
export function placeOf(event: Event): number {
  return Number(event.slice(event.indexOf(' ') + 1))
}

/** What an event needs: that one of these has happened. */
export interface Need {
  readonly anyOf: readonly Event[]
  /** For which the object waits; left out for what helm or Kubernetes sees to. */
  readonly want?: Want
}

export type Needs = ReadonlyMap<Event, readonly Need[]>

/** What each event of an installation needs. Releases that wait for each other are installed side by side. */
export function needsOf(objects: readonly Owned[]): Needs {
  const makersOf = makersAmong(objects)
  const hooks = hooksByRelease(objects)
  const pods = podsAmong(objects)
  return new Map(
    objects.flatMap((each, at): readonly [Event, readonly Need[]][] => {
      const before = hooks.get(each.release)?.filter((hook) => isBefore(hook, each.object)) ?? []
      const wanted = blockingWants(each).flatMap((want): readonly Need[] => {
        const makers = makersOf(each.release, want)
        // What nobody makes is another fault.
        return makers.length === 0 ? [] : [{anyOf: makers.map(eventOf(want)), want}]
      })
      return [
        [`made ${at}`, before.map(({place, object}) => ({anyOf: [endOf(object, place)]}))],
        [`done ${at}`, [{anyOf: [`made ${at}`]}, ...wanted, ...podsBehind(each, pods)]],
      ]
    }),
  )
}

interface Hook {
  readonly object: KubernetesObject
  readonly place: number
}

function hooksByRelease(objects: readonly Owned[]) {
  const places = objects.map(({release, object}, place) => ({release, object, place}))
  return Map.groupBy(
    places.filter(({object}) => isHook(object)),
    ({release}) => release,
  )
}

/** Hooks of upgrades alone hold up no installation. */
function isBefore({object: hook}: Hook, object: KubernetesObject): boolean {
  const [one, other] = [momentOf(hook), momentOf(object)]
  return isLater(other, one) && one.isOfUpgrades === other.isOfUpgrades
}

/** Helm waits for the end of Jobs and pods, and for no other hooks. */
function endOf({kind}: KubernetesObject, place: number): Event {
  return kind === 'Job' || kind === 'Pod' ? `done ${place}` : `made ${place}`
}

function blockingWants(each: Owned): readonly Want[] {
  return wantsOf([each], releaseNamespace(each.release)).filter(
    ({kind, waiter}) => kind !== 'soft' && waiter !== 'cron',
  )
}

function eventOf({kind}: Want): (place: number) => Event {
  return (place) => (kind === 'ready' ? `done ${place}` : `made ${place}`)
}

/** Pods that stay, and are ready when this has happened. */
interface Pods {
  readonly event: Event
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
}

function podsAmong(objects: readonly Owned[]): readonly Pods[] {
  return objects.flatMap((each, place) => {
    const template = podTemplate(each.object)
    if (!template || waiterOf(each.object) === 'cron') return []
    return [{event: `done ${place}`, namespace: namespaceOf(each), labels: template.labels}]
  })
}

function namespaceOf({object, release}: Pick<Owned, 'object' | 'release'>): string {
  return object.metadata.namespace ?? releaseNamespace(release)
}

/** A Service serves when one of its pods is ready. */
function podsBehind({object, release}: Owned, pods: readonly Pods[]): readonly Need[] {
  const selector = Object.entries(dig(object, 'spec', 'selector') ?? {})
  const isOpen = dig(object, 'spec', 'publishNotReadyAddresses') === true
  if (object.kind !== 'Service' || isOpen || selector.length === 0) return []
  const home = namespaceOf({object, release})
  const behind = pods.filter(
    ({namespace, labels}) => namespace === home && selector.every(([key, value]) => labels[key] === value),
  )
  return behind.length === 0 ? [] : [{anyOf: behind.map(({event}) => event)}]
}
