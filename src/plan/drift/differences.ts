import {isMap, type Values} from '../../base/values.ts'
import {canonicalJson} from '../digest.ts'

/** A field that differs between two objects, with both values; a value is undefined if that side has none. */
export interface FieldDifference {
  /** The keys and, for items of lists, their identity: `['spec', 'containers', '[main]', 'image']`. */
  readonly path: readonly string[]
  readonly live: unknown
  readonly applied: unknown
}

/**
 * The keys that identify the items of Kubernetes' own lists. The first entry whose keys all items have is
 * used.
 */
const ITEM_KEYS: readonly (readonly string[])[] = [
  ['containerPort', 'protocol'],
  ['mountPath'],
  ['devicePath'],
  ['name'],
  ['port', 'protocol'],
  ['ip'],
  ['key'],
  ['type'],
]

/**
 * Returns the smallest parts in which two values differ, in the order of the first; keys match items of
 * lists.
 */
export function differences(
  live: unknown,
  applied: unknown,
  path: readonly string[] = [],
): readonly FieldDifference[] {
  if (isMap(live) && isMap(applied)) {
    const keys = [...new Set([...Object.keys(live), ...Object.keys(applied)])]
    return keys.flatMap((key) => differences(live[key], applied[key], [...path, key]))
  }
  if (Array.isArray(live) && Array.isArray(applied)) return listDifferences(live, applied, path)
  return isEqual(live, applied) ? [] : [{path, live, applied}]
}

/** Formats a path as a string: `spec.template.spec.containers[main].image`. */
export function pathText(path: readonly string[]): string {
  return path
    .map((key) => (key.startsWith('[') ? key : /^[\w-]+$/.test(key) ? `.${key}` : `["${key}"]`))
    .join('')
    .replace(/^\./, '')
}

function listDifferences(
  live: readonly unknown[],
  applied: readonly unknown[],
  path: readonly string[],
): readonly FieldDifference[] {
  const itemName = itemKey([live, applied])
  if (!itemName) return isEqual(live, applied) ? [] : [{path, live, applied}]
  const before = new Map(live.map((item) => [itemName(item), item]))
  const after = new Map(applied.map((item) => [itemName(item), item]))
  const keys = [...new Set([...before.keys(), ...after.keys()])]
  const fields = keys.flatMap((key) => differences(before.get(key), after.get(key), [...path, key]))
  const order = (items: ReadonlyMap<string, unknown>) => [...items.keys()].join()
  const isReordered = fields.length === 0 && order(before) !== order(after)
  return isReordered ? [{path: [...path, '[order]'], live: order(before), applied: order(after)}] : fields
}

/** Returns a function that names each item of these lists; undefined if no keys identify the items. */
function itemKey(lists: readonly (readonly unknown[])[]): ((item: unknown) => string) | undefined {
  for (const keys of ITEM_KEYS) {
    const isNamed = (item: unknown) => isMap(item) && keys.every((key) => item[key] !== undefined)
    const itemName = (item: unknown) => `[${keys.map((key) => (item as Values)[key]).join('/')}]`
    const isUnique = (list: readonly unknown[]) => new Set(list.map(itemName)).size === list.length
    if (lists.every((list) => list.every(isNamed) && isUnique(list))) return itemName
  }
  return undefined
}

/**
 * Returns the index of the item that such a key of a path names, even if it lacks the API server's defaults;
 * -1 without one.
 */
export function itemIndex(list: readonly unknown[], key: string): number {
  const text = key.slice(1, -1)
  for (const keys of ITEM_KEYS) {
    const index = list.findIndex((item) => {
      const values = isMap(item) ? keys.flatMap((each) => item[each] ?? []) : []
      const itemText = values.join('/')
      if (values.length === 0) return false
      return itemText === text || (values.length < keys.length && text.startsWith(`${itemText}/`))
    })
    if (index !== -1) return index
  }
  return -1
}

function isEqual(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other
  return canonicalJson(one) === canonicalJson(other)
}
