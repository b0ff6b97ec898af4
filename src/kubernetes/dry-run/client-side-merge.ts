import {isDeepStrictEqual} from 'node:util'
import {isMap, type Values} from '../../base/values.ts'

/**
 * The lists that Kubernetes merges item by item on the client side, with the key that identifies an item
 * (`patchMergeKey` in k8s.io/api). Other lists are replaced.
 */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...[
        'containers',
        'initContainers',
        'ephemeralContainers',
        'volumes',
        'env',
        'imagePullSecrets',
        'secrets',
      ],
      ...['resourceClaims', 'schedulingGates', 'webhooks', 'matchConditions', 'variables'],
    ].map((list) => [list, 'name']),
  ),
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  hostAliases: 'ip',
  topologySpreadConstraints: 'topologyKey',
}
/**
 * The second key of an item (`listMapKey` in k8s.io/api), and its default: a port may exist for TCP and for
 * UDP.
 */
const SECOND_KEYS: Readonly<Record<string, readonly [key: string, fallback: string]>> = {
  ports: ['protocol', 'TCP'],
  topologySpreadConstraints: ['whenUnsatisfiable', 'DoNotSchedule'],
}
/**
 * Maps that keep only the manifest's keys (`patchStrategy: retainKeys`): one source of a volume replaces
 * another.
 */
const RETAIN_KEYS: ReadonlySet<string> = new Set(['volumes', 'resourceClaims', 'strategy'])

type List = readonly Values[]

/**
 * Returns the merge key of a list; undefined for a list that is replaced as a whole, such as the ports of a
 * NetworkPolicy.
 */
function findMergeKey(field: string, items: readonly unknown[], kind: unknown): string | undefined {
  const has = (key: string) => items.every((item) => isMap(item) && item[key] !== undefined)
  if (field === 'ports') return [kind === 'Service' ? 'port' : 'containerPort'].find(has)
  const key = MERGE_KEYS[field]
  return key !== undefined && has(key) ? key : undefined
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

interface Versions {
  /** The object of the last revision; without it nothing is removed. */
  readonly before: Values | undefined
  readonly after: Values
  readonly live: Values
}

/**
 * Returns the strategic merge patch with which helm changes an object on the client side: the difference
 * between the live object and the manifest, without deletions, and deletions of the fields that only the last
 * revision had (apimachinery 0.36: strategicpatch/patch.go CreateThreeWayMergePatch). Empty if helm writes
 * nothing. Of items with the same merge key the server changes the first.
 */
export function threeWayPatch({before, after, live}: Versions): Values {
  return mapPatch({before, after, live}, {kind: after['kind'], retains: false})
}

/**
 * Returns the plain merge patch that sets all fields of a manifest, and removes the fields that only the last
 * revision had.
 */
export function plainPatch(before: Values, after: Values): Values {
  const set = Object.entries(after).map(([key, value]) => {
    const old = before[key]
    return [key, isMap(old) && isMap(value) ? plainPatch(old, value) : value]
  })
  return {...Object.fromEntries(set), ...removed(before, after)}
}

/** Returns null for each key that only the first map has. */
function removed(before: Values = {}, after: Values): Values {
  const absent = Object.keys(before).filter((key) => !Object.hasOwn(after, key) || after[key] === undefined)
  return Object.fromEntries(absent.map((key) => [key, null]))
}

interface Place {
  readonly kind: unknown
  /** Whether the map must have only the keys of the manifest. */
  readonly retains: boolean
}

function mapPatch({before, after, live}: Versions, {kind, retains}: Place): Values {
  const patch: Record<string, unknown> = {...removed(before, after)}
  for (const [key, value] of Object.entries(after)) {
    const [old, now] = [before?.[key], live[key]]
    if (isMap(value) && isMap(now)) {
      const place = {kind, retains: RETAIN_KEYS.has(key)}
      const inner = mapPatch({before: isMap(old) ? old : undefined, after: value, live: now}, place)
      if (Object.keys(inner).length > 0) patch[key] = inner
    } else if (isList(value) && isList(now)) {
      const mergeKey = findMergeKey(key, [...value, ...now, ...(isList(old) ? old : [])], kind)
      const lists = {before: isList(old) ? old : [], after: value, live: now} as ListVersions
      const items =
        mergeKey === undefined
          ? isDeepStrictEqual(value, now)
            ? []
            : value
          : listPatch(lists, mergeKey, {kind, retains: RETAIN_KEYS.has(key)})
      if (items.length > 0 || (mergeKey === undefined && value.length !== now.length)) patch[key] = items
    } else if (!isDeepStrictEqual(value, now)) patch[key] = value
  }
  const isMore = Object.keys(live).some((key) => after[key] === undefined)
  if (retains && (isMore || Object.keys(patch).length > 0))
    patch['$retainKeys'] = Object.keys(after).toSorted()
  return patch
}

interface ListVersions {
  readonly before: List
  readonly after: List
  readonly live: List
}

/**
 * A change and a deletion of items with the same merge key become one entry, as in helm's patches; the
 * deletion then wins.
 */
function listPatch({before, after, live}: ListVersions, mergeKey: string, place: Place): List {
  const old = pairs(before, after, mergeKey)
  const previous = new Map(old.map(([before, item]) => [item, before]))
  const deleted = old.flatMap(([before, item]) => (before && !item ? [before[mergeKey]] : []))
  const deletion = (key: unknown) => ({[mergeKey]: key, $patch: 'delete'})
  const changes = pairs(live, after, mergeKey).flatMap(([now, item]): List => {
    if (!item) return []
    if (!now) return [item]
    const change = mapPatch({before: previous.get(item), after: item, live: now}, place)
    return Object.keys(change).length > 0 ? [{...change, [mergeKey]: item[mergeKey]}] : []
  })
  const changed = new Set(changes.map((change) => change[mergeKey]))
  return [
    ...deleted.filter((key) => !changed.has(key)).map(deletion),
    ...changes.map((change) =>
      deleted.includes(change[mergeKey]) ? {...change, ...deletion(change[mergeKey])} : change,
    ),
  ]
}

/**
 * Returns the items of two lists in pairs, sorted by merge key; items with the same key are paired by their
 * order.
 */
function pairs(
  one: List,
  other: List,
  mergeKey: string,
): readonly (readonly [Values | undefined, Values | undefined])[] {
  const groups = ([one, other] as const).map((list) => Map.groupBy(list, (item) => String(item[mergeKey])))
  const keys = [...new Set(groups.flatMap((group) => [...group.keys()]))].sort()
  return keys.flatMap((key) => {
    const [oneItems = [], otherItems = []] = groups.map((group) => group.get(key))
    return Array.from(
      {length: Math.max(oneItems.length, otherItems.length)},
      (_, index) => [oneItems[index], otherItems[index]] as const,
    )
  })
}

/**
 * Returns an object whose merged lists have their desired content: each existing item with the changes of the
 * manifest, then the new items. Items are identified by all of their keys, and by their order if the keys are
 * equal. Applied as a plain merge patch, it sets only the fields of the manifest.
 */
export function withLiveItems<T extends Values>(object: T, live: Values): T {
  return overlaid(object, live, {kind: object['kind'], isWhole: false}) as T
}

interface Overlay {
  readonly kind: unknown
  /** Whether the result has all fields of the live object: in a list, a merge patch does not keep them. */
  readonly isWhole: boolean
}

function overlaid(after: Values, live: Values, {kind, isWhole}: Overlay): Values {
  const result: Record<string, unknown> = isWhole ? {...live} : {}
  for (const [key, value] of Object.entries(after)) {
    const now = live[key]
    if (isWhole && value === null) delete result[key]
    else if (isMap(value) && isMap(now)) {
      const inner = overlaid(value, now, {kind, isWhole})
      result[key] = RETAIN_KEYS.has(key) ? {...(isWhole ? {} : removed(now, value)), ...inner} : inner
    } else if (isList(value) && isList(now)) result[key] = overlaidList(key, value, now, kind)
    else result[key] = value
  }
  return result
}

function overlaidList(field: string, after: readonly unknown[], live: readonly unknown[], kind: unknown) {
  const mergeKey = findMergeKey(field, [...after, ...live], kind)
  if (mergeKey === undefined) return after
  const added = [...(after as List)]
  const present = (live as List).map((item) => {
    const index = added.findIndex(
      (each) => identity(field, mergeKey, each) === identity(field, mergeKey, item),
    )
    if (index === -1) return item
    const [desired] = added.splice(index, 1)
    const merged = overlaid(desired!, item, {kind, isWhole: true})
    if (!RETAIN_KEYS.has(field)) return merged
    return Object.fromEntries(Object.entries(merged).filter(([key]) => desired![key] !== undefined))
  })
  return [...present, ...added]
}

function identity(field: string, mergeKey: string, item: Values): string {
  const [more = '', fallback] = SECOND_KEYS[field] ?? []
  return JSON.stringify([item[mergeKey], item[more] ?? fallback])
}

/**
 * Returns true for an object with a list whose items share a merge key: a patch of helm on the client side
 * mixes them up (kubernetes/kubernetes#39188).
 */
export function repeatsMergeKeys(object: Values, kind: unknown = object['kind']): boolean {
  return Object.entries(object).some(([field, value]) => {
    if (isMap(value)) return repeatsMergeKeys(value, kind)
    if (!isList(value)) return false
    const mergeKey = findMergeKey(field, value, kind)
    const items = value.filter(isMap)
    const isRepeated =
      mergeKey !== undefined && new Set(items.map((item) => item[mergeKey])).size < items.length
    return isRepeated || items.some((item) => repeatsMergeKeys(item, kind))
  })
}
