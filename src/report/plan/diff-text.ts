import {structuredPatch} from 'diff'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {matchObjects, type ObjectPair} from '../../plan/changes/match-objects.ts'
import {redactObject} from '../../redact/diff.ts'
import type {RedactLeaf} from '../../redact/redact.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import {dumpYaml} from '../../yaml/dump.ts'
import type {Palette} from '../colour.ts'

/**
 * The objects of a release as they are deployed and as they would be. `before` is undefined for a new
 * release.
 */
export interface ManifestDiff {
  readonly release: ReleaseId
  readonly before: readonly KubernetesObject[] | undefined
  readonly after: readonly KubernetesObject[]
}

export interface DiffOptions {
  readonly palette: Palette
  /**
   * Removes known secret values from a string; `isSecret` is true if the string is under a key that looks
   * secret.
   */
  readonly redact: RedactLeaf
}

/** Returns unified diffs of the manifests of releases, object by object, without a secret value. */
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
  const earlier = before === undefined ? '' : yamlText(redactObject(before, undefined, redact))
  const later = after === undefined ? '' : yamlText(redactObject(after, before, redact))
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

/** Returns a range of a hunk. In a unified diff an empty side starts at the line before it. */
function rangeText(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`
}

function lineColour(line: string, palette: Palette): (text: string) => string {
  if (line.startsWith('+')) return palette.good
  return line.startsWith('-') ? palette.bad : (text) => text
}

/** Returns an object as YAML with sorted keys, because their order is irrelevant. */
function yamlText(shown: unknown): string {
  return dumpYaml(inOrder(shown))
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
