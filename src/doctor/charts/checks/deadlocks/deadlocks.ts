import {dig} from '../../../../base/dig.ts'
import {catalogue} from '../../../../graph/inference/catalogue.ts'
import type {Want} from '../../../../graph/inference/facts.ts'
import {wantText} from '../../../../graph/inference/infer.ts'
import {isHook} from '../../../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../../../kubernetes/manifest/kubernetes-object.ts'
import {objectName, type RenderedObject} from '../../../../kubernetes/manifest/manifest.ts'
import {podTemplate, selectsPods} from '../../../../kubernetes/manifest/pods.ts'
import {providedBy} from '../../../../prepare/inference/manifests/provided-by.ts'
import {waiterOf} from '../../../../prepare/inference/manifests/waiter-of.ts'
import {wantsOf} from '../../../../prepare/inference/manifests/wants-of.ts'
import {wantedName} from '../../../../prepare/inference/notes.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../../../release.ts'
import type {ChartFault} from '../../chart-fault.ts'
import type {Creator} from '../claimed-twice.ts'
import {installPhase, isLater} from './install-phase.ts'

/**
 * Returns a problem for each hook that waits, directly or through other pods, for an object that helm creates
 * only after the hook has ended, and one note for pods that wait for a hook which runs after them. Such pods
 * are harmless unless a tool waits for them first, as `helm --wait` does. Objects in `existingObjects`
 * (`kk.given`) exist already.
 */
export function deadlocks(
  releases: readonly Creator[],
  existingObjects: readonly string[] = [],
): readonly ChartFault[] {
  const owned = releases.flatMap(({release, objects}) => objects.map((each) => ({...each, release})))
  const needs = needsOf(owned, existingObjects)
  const happened = happening(needs)
  const late: LateHook[] = []
  const circles = owned.flatMap((each, place) => {
    const event: Event = `done ${place}`
    const wants = needs.get(event)!.filter(({want}) => want)
    if (!isHook(each.object)) {
      if (happened.has(event)) late.push(...wants.flatMap((need) => lateHook(each, need, owned)))
      return []
    }
    return wants.flatMap((need) => {
      const circle = circleOf(event, need, {needs, happened})
      return circle.length === 0 ? [] : [circleFault(each, circle, owned)]
    })
  })
  return [...circles, ...lateHooksFault(late)]
}

/** Returns the late hook of a need, if only later hooks of the same release can meet it. */
function lateHook(
  each: OwnedObject,
  {anyOf, want}: Need,
  owned: readonly OwnedObject[],
): readonly LateHook[] {
  const own = installPhase(each.object)
  const makers = anyOf.map((event) => owned[objectIndex(event)]!)
  const isLate = makers.every(
    ({object, release}) => release === each.release && isLater(installPhase(object), own),
  )
  return isLate ? [{waiting: each, hook: makers[0]!, want: want!}] : []
}

/** Returns the fault of a hook whose completion depends on itself through these steps. */
function circleFault(
  hook: OwnedObject,
  circle: readonly Step[],
  objects: readonly OwnedObject[],
): ChartFault {
  const at = (event: Step['from']) => objects[objectIndex(event)]!
  const objectLabel = ({object, release}: OwnedObject) =>
    release === hook.release ? objectName(object) : `${objectName(object)} of ${releaseName(release)}`
  const clauses = circle.flatMap(({from, to, need: {want}}) => {
    const [one, other] = [at(from), at(to)]
    if (want) {
      const awaited = one === other ? 'itself' : objectLabel(other)
      return [`${objectLabel(one)} waits for ${awaited} (${textOf(want, other)})`]
    }
    if (one === other) return []
    return from.startsWith('made')
      ? [`helm creates ${objectLabel(one)} only after ${objectLabel(other)} has ended`]
      : [`the pods behind ${objectLabel(one)} are those of ${objectLabel(other)}`]
  })
  return {
    ...placeOfFault(hook),
    level: 'problem',
    what: `the hook ${objectName(hook.object)} never ends: ${clauses.join('; ')}`,
    advice: adviceFor(hook, at(circle.at(-1)!.from), circle.at(-1)!),
  }
}

/** Returns how to break a cycle; `last` is the object whose step leads back to the hook. */
function adviceFor(hook: OwnedObject, last: OwnedObject, {need: {want}}: Step): string {
  const [name, other] = [objectName(hook.object), objectName(last.object)]
  if (want) return `remove the wait for ${name} from ${hook === last ? 'it' : other}`
  const stage = installPhase(last.object).stage
  if (stage !== 'with' && stage === installPhase(hook.object).stage)
    return `give ${other} a lower helm.sh/hook-weight than ${name}`
  const isServing = last.object.kind === 'Service' || podTemplate(last.object) !== undefined
  const later = `${name} a post-install hook`
  return isServing
    ? `make ${later}`
    : `make ${other} a hook of the same stage with a lower weight, or ${later}`
}

/** Pods that wait for a hook that helm starts after them. */
interface LateHook {
  readonly waiting: OwnedObject
  readonly hook: OwnedObject
  readonly want: Want
}

/** Returns one note for all late hooks, because they only matter with `helm --wait`. */
function lateHooksFault(late: readonly LateHook[]): readonly ChartFault[] {
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
      what: `${releaseName(waiting.release)}${others}: ${objectName(waiting.object)} waits for the hook ${objectName(hook.object)} (${textOf(want, hook)}), which helm starts after it${more}: this works, but not with helm --wait`,
    },
  ]
}

function placeOfFault({release, object, file}: OwnedObject) {
  return {check: 'deadlocks', release, object: objectName(object), file} as const
}

function textOf(want: Want, {object}: OwnedObject): string {
  return wantText(want, {object: objectName(object)})
}

/** One event that needs another. */
interface Step {
  readonly from: Event
  readonly to: Event
  readonly need: Need
}

/** Returns the events that can happen: those whose needs can be met in some order. */
function happening(needs: Needs): ReadonlySet<Event> {
  const happened = new Set<Event>()
  for (;;) {
    const next = [...needs].filter(
      ([event, own]) =>
        !happened.has(event) && own.every(({anyOf}) => anyOf.some((each) => happened.has(each))),
    )
    if (next.length === 0) return happened
    for (const [event] of next) happened.add(event)
  }
}

/**
 * Returns the shortest cycle of an event through this need over events that cannot happen; empty without one.
 */
function circleOf(
  event: Event,
  need: Need,
  {needs, happened}: {readonly needs: Needs; readonly happened: ReadonlySet<Event>},
): readonly Step[] {
  const stepsOf = (from: Event, {anyOf}: Need, by: Need): readonly Step[] =>
    anyOf.filter((to) => !happened.has(to)).map((to) => ({from, to, need: by}))
  const seen = new Set<Event>()
  const paths: (readonly Step[])[] = stepsOf(event, need, need).map((step) => [step])
  for (const path of paths) {
    const at = path.at(-1)!.to
    if (at === event) return path
    if (seen.has(at)) continue
    seen.add(at)
    const open = (needs.get(at) ?? []).filter(({anyOf}) => !anyOf.some((each) => happened.has(each)))
    for (const each of open) for (const step of stepsOf(at, each, each)) paths.push([...path, step])
  }
  return []
}

/**
 * The creation of an object (`made`), or its completion: ready or ended (`done`). The number is its index
 * among the objects.
 */
type Event = `${'made' | 'done'} ${number}`

/** Returns the index of an event's object. */
function objectIndex(event: Event): number {
  return Number(event.slice(event.indexOf(' ') + 1))
}

/** A need of an event: one of these must have happened. */
interface Need {
  readonly anyOf: readonly Event[]
  /** The want of the waiting object; undefined for a need that comes from helm or Kubernetes. */
  readonly want?: Want
}

type Needs = ReadonlyMap<Event, readonly Need[]>

/**
 * Returns the needs of each event of an installation; releases that wait for each other start concurrently.
 */
function needsOf(objects: readonly OwnedObject[], existingObjects: readonly string[]): Needs {
  const makersOf = makersAmong(objects)
  const hooks = hooksByRelease(objects)
  const pods = podsAmong(objects)
  return new Map(
    objects.flatMap((each, at): readonly [Event, readonly Need[]][] => {
      const before = hooks.get(each.release)?.filter((hook) => isBefore(hook, each.object)) ?? []
      const wanted = blockingWants(each).flatMap((want): readonly Need[] => {
        const makers = existingObjects.includes(wantedName(want)) ? [] : makersOf(each.release, want)
        // A want that no object meets is a fault of another check.
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

function hooksByRelease(objects: readonly OwnedObject[]) {
  const places = objects.map(({release, object}, place) => ({release, object, place}))
  return Map.groupBy(
    places.filter(({object}) => isHook(object)),
    ({release}) => release,
  )
}

/**
 * Returns true if a hook runs before an object is created. Hooks that run only in upgrades do not block an
 * installation.
 */
function isBefore({object: hook}: Hook, object: KubernetesObject): boolean {
  const [one, other] = [installPhase(hook), installPhase(object)]
  return isLater(other, one) && one.isOfUpgrades === other.isOfUpgrades
}

/** Returns the event of a hook that helm waits for: Jobs and pods must end, other hooks are only created. */
function endOf({kind}: KubernetesObject, place: number): Event {
  return kind === 'Job' || kind === 'Pod' ? `done ${place}` : `made ${place}`
}

function blockingWants(each: OwnedObject): readonly Want[] {
  return wantsOf([each], releaseNamespace(each.release)).filter(
    ({kind, waiter}) => kind !== 'soft' && waiter !== 'cron',
  )
}

function eventOf({kind}: Want): (place: number) => Event {
  return (place) => (kind === 'ready' ? `done ${place}` : `made ${place}`)
}

/** Pods that keep running, and are ready when the event has happened. */
interface Pods {
  readonly event: Event
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
}

function podsAmong(objects: readonly OwnedObject[]): readonly Pods[] {
  return objects.flatMap((each, place) => {
    const template = podTemplate(each.object)
    if (!template || waiterOf(each.object) === 'cron') return []
    return [{event: `done ${place}`, namespace: namespaceOf(each), labels: template.labels}]
  })
}

function namespaceOf({object, release}: Pick<OwnedObject, 'object' | 'release'>): string {
  return object.metadata.namespace ?? releaseNamespace(release)
}

/** Returns the need of a Service: it serves as soon as one of its pods is ready. */
function podsBehind({object, release}: OwnedObject, pods: readonly Pods[]): readonly Need[] {
  if (dig(object, 'spec', 'publishNotReadyAddresses') === true) return []
  const objectNamespace = namespaceOf({object, release})
  const behind = pods.filter(
    ({namespace, labels}) => namespace === objectNamespace && selectsPods(object, labels),
  )
  return behind.length === 0 ? [] : [{anyOf: behind.map(({event}) => event)}]
}

/** An object and the release that creates it. */
interface OwnedObject extends RenderedObject {
  readonly release: ReleaseId
}

/** Returns a lookup of the objects, by index, that a want of a release can refer to. */
function makersAmong(objects: readonly OwnedObject[]): (asker: ReleaseId, want: Want) => readonly number[] {
  // The catalogue has each object as a separate release, in the namespace of the release that creates it.
  const objectCatalogue = catalogue(
    objects.map((each, place) => {
      const namespace = releaseNamespace(each.release)
      const facts = {wants: [], provided: providedBy([each], namespace)}
      return {release: `${namespace}/${place}` as const, shared: false, facts}
    }),
  )
  return (asker, {target}) => {
    const places = objectCatalogue.find(asker, target).map(({release}) => Number(releaseName(release)))
    // A custom resource definition is not awaited.
    return target.what === 'kind' ? places.filter((at) => objects[at]!.object.kind === target.kind) : places
  }
}
