import {structuredPatch} from 'diff'
import {dump} from 'js-yaml'
import type {KubernetesObject} from '../../cluster/cluster.ts'
import {mapLeaves} from '../../helm/redact/map-leaves.ts'
import {matchObjects, type ObjectPair} from '../../plan/changes/match-objects.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import type {Palette} from '../colour.ts'

/** The objects of a release as they are deployed and as they would be; `before` is undefined when all is new. */
export interface ManifestDiff {
  readonly release: ReleaseId
  readonly before: readonly KubernetesObject[] | undefined
  readonly after: readonly KubernetesObject[]
}

export interface DiffOptions {
  readonly palette: Palette
  /** Takes known secret values out of a text; `isSecret` when it stands under a key that looks secret. */
  readonly redact: Redact
}

type Redact = (text: string, isSecret: boolean) => string

/** Unified diffs of the manifests of releases, object by object, without a secret value. */
export function diffText(diffs: readonly ManifestDiff[], options: DiffOptions): string {
  return diffs.map((diff) => releaseDiff(diff, options)).join('\n')
}

function releaseDiff({release, before, after}: ManifestDiff, options: DiffOptions): string {
  const {palette} = options
  const pairs = matchObjects(before ?? [], after, releaseNamespace(release))
  const changed = pairs.filter((pair) => sorted(pair.before) !== sorted(pair.after))
  const lines = changed.flatMap((pair) => pairLines(pair, options))
  const title = `${palette.strong(`release ${release}`)}: ${before === undefined ? 'new, ' : ''}${countsText(changed)}`
  return `${[title, ...lines].join('\n')}\n`
}

function countsText(changed: readonly ObjectPair[]): string {
  if (changed.length === 0) return 'no object differs'
  const added = changed.filter(({before}) => before === undefined).length
  const removed = changed.filter(({after}) => after === undefined).length
  const counts = {changed: changed.length - added - removed, added, removed}
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
  return parts.map(([word, count]) => `${count} ${word}`).join(', ')
}

function pairLines({name, before, after}: ObjectPair, {palette, redact}: DiffOptions): readonly string[] {
  const earlier = before === undefined ? '' : shownText(masked(before, undefined), redact)
  const later = after === undefined ? '' : shownText(masked(after, before), redact)
  const head = [
    palette.bad(`--- ${before === undefined ? '/dev/null' : name}`),
    palette.good(`+++ ${after === undefined ? '/dev/null' : name}`),
  ]
  if (earlier === later) return [...head, palette.quiet('differs only in values that are masked')]
  const {hunks} = structuredPatch('', '', earlier, later, undefined, undefined, {context: 3})
  return [
    ...head,
    ...hunks.flatMap(({oldStart, oldLines, newStart, newLines, lines}) => [
      palette.accent(`@@ -${rangeText(oldStart, oldLines)} +${rangeText(newStart, newLines)} @@`),
      ...lines.map((line) => lineColour(line, palette)(line)),
    ]),
  ]
}

/** In a unified diff an empty side starts at the line before it. */
function rangeText(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`
}

function lineColour(line: string, palette: Palette): (text: string) => string {
  if (line.startsWith('+')) return palette.good
  return line.startsWith('-') ? palette.bad : (text) => text
}

/** YAML with sorted keys, as the order of keys means nothing, and without known secrets. */
function shownText(object: KubernetesObject, redact: Redact): string {
  const shown = mapLeaves(object, (leaf, isSecret) =>
    typeof leaf === 'string' ? redact(leaf, isSecret) : leaf,
  )
  return dump(inOrder(shown), {noRefs: true, lineWidth: -1})
}

function sorted(object: KubernetesObject | undefined): string {
  return JSON.stringify(inOrder(object)) ?? ''
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([key, item]) => [key, inOrder(item)]))
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/**
 * A Secret as it may be shown: each value of `data` and `stringData` gives way to its length, with `changed` where the
 * same key of `before` holds something else. Any other object is returned as it is.
 */
function masked(object: KubernetesObject, before: KubernetesObject | undefined): KubernetesObject {
  if (!isSecret(object)) return object
  const values = secretValues(object)
  const earlier = before === undefined ? new Map<string, Buffer>() : secretValues(before)
  const mask = (part: unknown) => maskedPart(part, values, earlier)
  return {
    ...object,
    metadata: maskedMetadata(object.metadata),
    ...('data' in object && {data: mask(object.data)}),
    ...('stringData' in object && {stringData: mask(object.stringData)}),
  }
}

/** kubectl keeps the whole object in an annotation. */
function maskedMetadata(metadata: KubernetesObject['metadata']): KubernetesObject['metadata'] {
  const {annotations} = metadata
  if (annotations?.[LAST_APPLIED] === undefined) return metadata
  return {...metadata, annotations: {...annotations, [LAST_APPLIED]: '(masked)'}}
}

function isSecret({apiVersion, kind}: KubernetesObject): boolean {
  return apiVersion === 'v1' && kind === 'Secret'
}

/** What the API server would keep: `stringData` wins over `data`. */
function secretValues({data, stringData}: KubernetesObject): ReadonlyMap<string, Buffer> {
  const values = new Map<string, Buffer>()
  for (const [key, value] of entries(data)) values.set(key, Buffer.from(String(value ?? ''), 'base64'))
  for (const [key, value] of entries(stringData)) values.set(key, Buffer.from(String(value ?? '')))
  return values
}

function maskedPart(
  part: unknown,
  values: ReadonlyMap<string, Buffer>,
  earlier: ReadonlyMap<string, Buffer>,
): unknown {
  const keys = entries(part).map(([key]) => key)
  return Object.fromEntries(keys.map((key) => [key, maskText(values.get(key), earlier.get(key))]))
}

function maskText(value: Buffer | undefined, earlier: Buffer | undefined): string {
  const bytes = value?.length ?? 0
  const changed = earlier !== undefined && value !== undefined && !earlier.equals(value)
  return `(masked, ${bytes} byte${bytes === 1 ? '' : 's'}${changed ? ', changed' : ''})`
}

function entries(part: unknown): readonly (readonly [string, unknown])[] {
  return typeof part === 'object' && part !== null ? Object.entries(part) : []
}
