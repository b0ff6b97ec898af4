import {isDeepStrictEqual} from 'node:util'
import {mergeValues} from '../base/merge.ts'
import {oncePerObject} from '../base/once.ts'
import {isEmpty, isMap, type Values} from '../base/values.ts'
import type {Environment, Part} from '../environment/environment.ts'
import type {Layer} from './layer.ts'
import {partLayers} from './part-layers.ts'
import {type SetFlag, withoutValue} from './release-flags.ts'
import {applySet} from './strvals.ts'
import type {ValuesFile} from './values-file.ts'

export interface LayerSources {
  readonly environment: Pick<Environment, 'file' | 'global' | 'sections' | 'position'>
  readonly release: string
  /** The part of a section with several releases that the release is. */
  readonly part?: Part | undefined
  /** The result of `featureLayers`. */
  readonly features?: readonly Layer[]
  readonly system?: Layer
  readonly user?: Layer
  /** The files of `--values` for this release, in order. */
  readonly valuesFiles?: readonly ValuesFile[]
  /** The expressions of `--set`, then of `--set-string`, for this release, in order. */
  readonly sets?: readonly Pick<SetFlag, 'flag' | 'expression'>[]
}

/**
 * Returns all layers of a release, from the weakest to the strongest, without empty ones. Throws `KK_VALUES`.
 */
export function releaseLayers(sources: LayerSources): readonly Layer[] {
  const {environment, part, features = [], system, user, valuesFiles = [], sets = []} = sources
  const section = environment.sections.get(sources.release)
  const release = part?.section ?? sources.release
  const candidates: (Layer | undefined)[] = [
    ...features,
    system,
    environment.global && {
      name: 'global',
      source: `global of ${environment.file}`,
      values: belowGlobal(environment.global),
      position: environment.position,
    },
    section && {
      name: 'section',
      source: `section ${release} of ${environment.file}`,
      values: section,
      position: (path) => environment.position([release, ...path]),
    },
    user,
    ...valuesFiles.map(
      ({file, ...rest}): Layer => ({name: 'values', source: `--values ${release}=${file}`, ...rest}),
    ),
  ]
  const layers = candidates.filter((layer) => layer !== undefined).filter(({values}) => !isEmpty(values))
  const all = sets.length === 0 ? layers : [...layers, setLayer(release, sets, mergedValues(layers))]
  return part ? partLayers(all, part, environment.file) : all
}

/**
 * Returns a note for each integer of `--set` that templates print differently than with helm's own `--set`:
 * values are passed to helm as a document, in which a number is a float, and Go prints a float of 1e6 or more
 * with an exponent. The number is not shown.
 */
export function largeNumberNotes(release: string, layers: readonly Layer[]): readonly string[] {
  return layers
    .filter(({name}) => name === 'set')
    .flatMap(({values}) => integerPaths(values))
    .map(
      (path) =>
        `--set ${release}:${path}: a template without int prints a number of this size with an exponent; if it is a string, set it with --set-string`,
    )
}

function integerPaths(value: unknown, path = ''): readonly string[] {
  if (Number.isInteger(value) && Math.abs(value as number) >= 1e6) return [path]
  if (Array.isArray(value)) return value.flatMap((each, at) => integerPaths(each, `${path}[${at}]`))
  if (!isMap(value)) return []
  return Object.entries(value).flatMap(([key, each]) =>
    integerPaths(each, path === '' ? key : `${path}.${key}`),
  )
}

/** Wraps values in `global`, once for all releases, so that they are digested once. */
const belowGlobal = oncePerObject((global: Values): Values => ({global}))

/** Returns the layer of `--set`: its changes to the values below, whose lists its indices refer to. */
function setLayer(release: string, sets: NonNullable<LayerSources['sets']>, below: Values): Layer {
  let above = below
  const steps = sets.map(({flag, expression}) => {
    const source = `${flag} ${withoutValue(`${release}:${expression}`)}`
    const before = above
    above = applySet(expression, before, {mode: flag === '--set' ? 'typed' : 'string', source})
    return {source, changed: difference(before, above)}
  })
  const source = steps.map((step) => step.source).join(' ')
  return {
    name: 'set',
    source,
    values: difference(below, above),
    sourceOf: (path) => steps.findLast(({changed}) => holds(changed, path))?.source ?? source,
  }
}

function holds(values: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path
  if (key === undefined) return true
  return isMap(values) && Object.hasOwn(values, key) && holds(values[key], rest)
}

/**
 * Returns the values that are passed to helm: the layers merged in their order. Inputs are not changed. A
 * release whose section has `global: null` gets no `global` at all, for a schema without such a key. The same
 * layers are merged once.
 */
export const mergedValues = oncePerObject((layers: readonly Layer[]): Values => {
  const merged = mergeValues(...layers.map(({values}) => values))
  if (merged.global !== null) return merged
  const {global: _, ...values} = merged
  return values
})

/**
 * Returns the values to merge over `below` to get `above`, which has every key of `below`: maps hold only the
 * keys that differ, a differing list is complete.
 */
export function difference(below: Values, above: Values): Values {
  const entries = Object.entries(above).flatMap(([key, value]): [string, unknown][] => {
    const lower = Object.hasOwn(below, key) ? below[key] : undefined
    if (isMap(lower) && isMap(value)) {
      const inner = difference(lower, value)
      return !isEmpty(inner) ? [[key, inner]] : []
    }
    return Object.hasOwn(below, key) && isDeepStrictEqual(lower, value) ? [] : [[key, value]]
  })
  return Object.fromEntries(entries)
}
