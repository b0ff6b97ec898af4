import {mapLeaves} from './leaves.ts'
import {redactLines} from './lines.ts'
import {looksSecret} from './looks-secret.ts'
import type {ManifestObject} from './objects.ts'
import {MASK} from './placeholder.ts'
import type {Redact, RedactLeaf} from './redact.ts'

/**
 * Returns an object as a diff may show it, next to the same object `before` or without one: each value of a Secret is masked,
 * with `changed` if the other has something else under its key; of others, what `redact` knows, and numbers under a key that
 * looks secret.
 */
export function redactObject(
  object: ManifestObject,
  before: ManifestObject | undefined,
  redact: RedactLeaf,
): unknown {
  return mapLeaves(withoutData(object, before), (leaf, isSecret) => {
    if (typeof leaf === 'string') return redact(leaf, isSecret)
    if (!isWord(leaf)) return leaf
    const redacted = isSecret ? MASK : redact(String(leaf))
    return redacted === String(leaf) ? leaf : redacted
  })
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

function withoutData(object: ManifestObject, before: ManifestObject | undefined): ManifestObject {
  if (object.apiVersion !== 'v1' || object.kind !== 'Secret') return object
  const values = secretValues(object)
  const earlier = before === undefined ? new Map<string, Buffer>() : secretValues(before)
  const masked = (part: unknown) =>
    Object.fromEntries(entries(part).map(([key]) => [key, maskedText(values.get(key), earlier.get(key))]))
  return {
    ...object,
    metadata: withoutLastApplied(object.metadata),
    ...('data' in object && {data: masked(object.data)}),
    ...('stringData' in object && {stringData: masked(object.stringData)}),
  }
}

/** kubectl keeps the whole object in an annotation. */
function withoutLastApplied(metadata: ManifestObject['metadata']): ManifestObject['metadata'] {
  const {annotations} = metadata
  if (typeof annotations !== 'object' || annotations === null || !(LAST_APPLIED in annotations))
    return metadata
  return {...metadata, annotations: {...annotations, [LAST_APPLIED]: '(masked)'}}
}

/** Returns the values that the API server would keep: `stringData` wins over `data`. */
function secretValues({data, stringData}: ManifestObject): ReadonlyMap<string, Buffer> {
  const values = new Map<string, Buffer>()
  for (const [key, value] of entries(data)) values.set(key, Buffer.from(String(value ?? ''), 'base64'))
  for (const [key, value] of entries(stringData)) values.set(key, Buffer.from(String(value ?? '')))
  return values
}

function maskedText(value: Buffer | undefined, earlier: Buffer | undefined): string {
  const changed = earlier !== undefined && value !== undefined && !earlier.equals(value)
  return changed ? '(masked, changed)' : '(masked)'
}

function entries(part: unknown): readonly (readonly [string, unknown])[] {
  return typeof part === 'object' && part !== null ? Object.entries(part) : []
}

/** Returns true for the data of a Secret, and for whatever stands under a key that looks like one: `env[DB_PASSWORD].value`. */
export function isSecretField({kind}: Pick<ManifestObject, 'kind'>, path: readonly string[]): boolean {
  if (kind === 'Secret' && path[0] !== 'metadata' && path[0] !== 'type') return true
  const [last = '', before = ''] = path.toReversed()
  const isNamed = last === 'value' && before.startsWith('[') && looksSecret(before.slice(1, -1))
  return isNamed || looksSecret(last)
}

/**
 * Returns both sides of a field that differs as they may be shown, whole subtrees too. Where one side has a secret in a line
 * of its own, what stands in its place on the other is one, too, though nobody knows it.
 */
export function redactSides(one: unknown, other: unknown, redact: Redact): readonly [unknown, unknown] {
  const [own, others] = [linesOf(one), linesOf(other)]
  return [redactSide(one, besides(own, others, redact)), redactSide(other, besides(others, own, redact))]
}

function redactSide(value: unknown, redact: Redact): unknown {
  return mapLeaves(value, (leaf, isSecret) => {
    if (isSecret && leaf !== null && typeof leaf !== 'boolean') return MASK
    if (!isWord(leaf)) return leaf
    const redacted = redact(String(leaf))
    return redacted === String(leaf) ? leaf : redacted
  })
}

/** Masks a text of one side. */
function besides(own: ReadonlySet<string>, other: ReadonlySet<string>, redact: Redact): Redact {
  const isReplaced = [...other].some((line) => !own.has(line) && redact(line) !== line)
  if (!isReplaced) return (text) => redactLines(redact(text))
  return (text) => {
    const lines = text.split('\n').map((line) => (line.trim() === '' || other.has(line) ? line : MASK))
    return redactLines(redact(lines.join('\n')))
  }
}

/** The lines of all texts and numbers in a value. */
function linesOf(value: unknown): ReadonlySet<string> {
  const lines = new Set<string>()
  mapLeaves(value, (leaf) => {
    if (isWord(leaf)) for (const line of String(leaf).split('\n')) lines.add(line)
  })
  return lines
}

function isWord(leaf: unknown): leaf is string | number | bigint {
  return typeof leaf === 'string' || typeof leaf === 'number' || typeof leaf === 'bigint'
}
