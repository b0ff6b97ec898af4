import {mapLeaves} from './leaves.ts'
import {redactLines} from './lines.ts'
import {looksSecret} from './looks-secret.ts'
import type {ManifestObject} from './objects.ts'
import {MASK} from './placeholder.ts'
import type {Redact, RedactLeaf} from './redact.ts'

/**
 * Returns an object as a diff may show it, alone or next to its earlier state `before`. Each value of a
 * Secret is masked, and marked as `changed` if the other object has a different value. In other objects,
 * values that `redact` knows are masked, and numbers under a key that looks secret.
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

/** Masks kubectl's annotation, which contains the whole object. */
function withoutLastApplied(metadata: ManifestObject['metadata']): ManifestObject['metadata'] {
  const {annotations} = metadata
  if (typeof annotations !== 'object' || annotations === null || !(LAST_APPLIED in annotations))
    return metadata
  return {...metadata, annotations: {...annotations, [LAST_APPLIED]: '(masked)'}}
}

/** Returns the values that the API server would store: `stringData` overrides `data`. */
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

/**
 * Returns true for the data of a Secret, and for any value of a key that looks secret:
 * `env[DB_PASSWORD].value`.
 */
export function isSecretField({kind}: Pick<ManifestObject, 'kind'>, path: readonly string[]): boolean {
  if (kind === 'Secret' && path[0] !== 'metadata' && path[0] !== 'type') return true
  const [last = '', before = ''] = path.toReversed()
  const isNamed = last === 'value' && before.startsWith('[') && looksSecret(before.slice(1, -1))
  return isNamed || looksSecret(last)
}

/**
 * Returns both sides of a field that differs, including whole subtrees, as they may be shown. If a line of
 * one side contains a secret, lines that differ from it on the other side are masked, too, because they may
 * contain its unknown new value.
 */
export function redactSides(one: unknown, other: unknown, redact: Redact): readonly [unknown, unknown] {
  const [oneLines, otherLines] = [collectLines(one), collectLines(other)]
  return [
    redactSide(one, maskReplaced(oneLines, otherLines, redact)),
    redactSide(other, maskReplaced(otherLines, oneLines, redact)),
  ]
}

function redactSide(value: unknown, redact: Redact): unknown {
  return mapLeaves(value, (leaf, isSecret) => {
    if (isSecret && leaf !== null && typeof leaf !== 'boolean') return MASK
    if (!isWord(leaf)) return leaf
    const redacted = redact(String(leaf))
    return redacted === String(leaf) ? leaf : redacted
  })
}

/** Returns the masking function of one side. */
function maskReplaced(own: ReadonlySet<string>, other: ReadonlySet<string>, redact: Redact): Redact {
  const isReplaced = [...other].some((line) => !own.has(line) && redact(line) !== line)
  if (!isReplaced) return (text) => redactLines(redact(text))
  return (text) => {
    const lines = text.split('\n').map((line) => (line.trim() === '' || other.has(line) ? line : MASK))
    return redactLines(redact(lines.join('\n')))
  }
}

/** Returns the lines of all strings and numbers in a value. */
function collectLines(value: unknown): ReadonlySet<string> {
  const lines = new Set<string>()
  mapLeaves(value, (leaf) => {
    if (isWord(leaf)) for (const line of String(leaf).split('\n')) lines.add(line)
  })
  return lines
}

function isWord(leaf: unknown): leaf is string | number | bigint {
  return typeof leaf === 'string' || typeof leaf === 'number' || typeof leaf === 'bigint'
}
