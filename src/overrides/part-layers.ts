import {KkError} from '../base/errors.ts'
import {isEmpty, isMap, type Values} from '../base/values.ts'
import {keysOf} from '../charts/parts-of.ts'
import type {Part} from '../environment/environment.ts'
import {COMMON} from '../release.ts'
import type {Layer} from './layer.ts'

/** Paths whose keys are components, which the library reads only for that component's own objects. */
const COMPONENT_PATHS = [
  ['labels'],
  ['network'],
  ['network_policy'],
  ['pod', 'affinity', 'anti', 'topologyKey'],
  ['pod', 'affinity', 'anti', 'type'],
  ['pod', 'affinity', 'anti', 'weight'],
  ['pod', 'lifecycle', 'disruption_budget'],
  ['pod', 'lifecycle', 'termination_grace_period'],
  ['pod', 'mounts'],
  ['pod', 'priorityClassName'],
  ['pod', 'probes'],
  ['pod', 'resources'],
  ['pod', 'runtimeClassName'],
  ['pod', 'security_context'],
  ['pod', 'tolerations'],
] as const
/**
 * Paths of components that the common part also needs: for its Secrets, and for permissions to read what pods
 * wait for.
 */
const SHARED_PATHS = [
  ['dependencies', 'static'],
  ['pod', 'env'],
] as const
const REPLICAS = ['pod', 'replicas'] as const
const IMAGES = ['images', 'tags'] as const

/**
 * Returns the layers of one part of a section: without the values that only affect its other components, so
 * that a change of those does not affect this part, and with `kk`, which the library reads to decide what to
 * render. Throws `KK_VALUES` for a component that neither the chart nor the section has, because it would
 * belong to no release.
 */
export function partLayers(layers: readonly Layer[], part: Part, file: string): readonly Layer[] {
  const {section, name, position} = part
  for (const layer of layers) refuseNewComponents(layer, part)
  const reduced = layers
    .map((layer) => ({...layer, values: keepPart(layer.values, part)}))
    .filter(({values}) => !isEmpty(values))
  const partLayer: Layer = {
    name: 'section',
    source: `kk.releases.${section}.components of ${file}`,
    values: {kk: {section, components: [name]}},
    ...(position && {position: () => position}),
  }
  const above = reduced.findIndex((layer) => ABOVE.has(layer.name))
  return reduced.toSpliced(above < 0 ? reduced.length : above, 0, partLayer)
}

const ABOVE: ReadonlySet<Layer['name']> = new Set(['user', 'values', 'set'])

function refuseNewComponents({values, source}: Layer, {section, name, siblings, chart}: Part): void {
  const components = [...siblings, name]
  const entries = isMap(values.components) ? Object.entries(values.components) : []
  for (const [component, facts] of entries) {
    if (!isMap(facts) || components.includes(component)) continue
    throw new KkError(
      'KK_VALUES',
      `${source}: components.${component} is no component of ${chart}, of which ${section} has a release each`,
      {hint: `state it in the section ${section} itself, or omit it`},
    )
  }
}

function keepPart(values: Values, part: Part): Values {
  // A key with the service's name applies to all its components.
  const ownKeys = new Set([part.chart, 'default', ...keysOf(part.chart, part.name)])
  const keys = (components: readonly string[]) =>
    new Set(components.flatMap((each) => keysOf(part.chart, each)).filter((key) => !ownKeys.has(key)))
  const paths = part.name === COMMON ? COMPONENT_PATHS : [...COMPONENT_PATHS, ...SHARED_PATHS]
  const otherKeys = keys(part.siblings)
  const keysWithout = (needed: readonly string[]) =>
    keys(part.siblings.filter((each) => !needed.includes(each)))
  const removed = [
    ...paths.map((path) => [path, otherKeys] as const),
    [REPLICAS, keysWithout(part.counted)] as const,
    [IMAGES, keysWithout(part.images)] as const,
  ]
  const removeOthers = (tree: Values) =>
    removed.reduce((rest, [path, removedKeys]) => without(rest, path, removedKeys), tree)
  const {global} = values
  const own = removeOthers(values)
  return isMap(global) ? withMap(own, 'global', removeOthers(global)) : own
}

/** Removes keys from the map at a path, and maps that become empty. */
function without(values: Values, place: readonly string[], keys: ReadonlySet<string>): Values {
  const [first, ...rest] = place
  if (first === undefined) {
    return Object.fromEntries(Object.entries(values).filter(([key]) => !keys.has(key)))
  }
  const inner = values[first]
  return isMap(inner) && !isEmpty(inner) ? withMap(values, first, without(inner, rest, keys)) : values
}

function withMap(values: Values, key: string, inner: Values): Values {
  if (!isEmpty(inner)) return {...values, [key]: inner}
  const {[key]: _, ...rest} = values
  return rest
}
