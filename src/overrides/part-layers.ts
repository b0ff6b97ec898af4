import {KkError} from '../base/errors.ts'
import {isEmpty, isMap, type Values} from '../base/values.ts'
import {keysOf} from '../charts/parts-of.ts'
import type {Part} from '../environment/environment.ts'
import {COMMON} from '../release.ts'
import type {Layer} from './layer.ts'

/** Places whose keys are components, which the library reads for that component's own objects and for nothing else. */
const OWN_PLACES = [
  ['images', 'tags'],
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
/** Such of which the common part needs to know, too: for its Secrets, and for the rights to look at what pods wait for. */
const TOLD_TO_COMMON = [
  ['dependencies', 'static'],
  ['pod', 'env'],
] as const
const REPLICAS = ['pod', 'replicas'] as const

/**
 * Returns the layers of one part of a section: without what is said for its other components alone, so that a change of that is none
 * of this part, and with `kk`, by which the library knows what to render. Throws `KK_VALUES` for a component that neither the chart nor
 * the section has, for it would be part of no release.
 */
export function partLayers(layers: readonly Layer[], part: Part, file: string): readonly Layer[] {
  const {section, name, position} = part
  for (const layer of layers) refuseNewComponents(layer, part)
  const kept = layers
    .map((layer) => ({...layer, values: ofPart(layer.values, part)}))
    .filter(({values}) => !isEmpty(values))
  const said: Layer = {
    name: 'section',
    source: `kk.releases.${section}.components of ${file}`,
    values: {kk: {section, components: [name]}},
    ...(position && {position: () => position}),
  }
  const above = kept.findIndex((layer) => ABOVE.has(layer.name))
  return kept.toSpliced(above < 0 ? kept.length : above, 0, said)
}

const ABOVE: ReadonlySet<Layer['name']> = new Set(['user', 'values', 'set'])

function refuseNewComponents({values, source}: Layer, {section, name, others, chart}: Part): void {
  const known = [...others, name]
  const stated = isMap(values.components) ? Object.entries(values.components) : []
  for (const [component, facts] of stated) {
    if (!isMap(facts) || known.includes(component)) continue
    throw new KkError(
      'KK_VALUES',
      `${source}: components.${component} is no component of ${chart}, of which ${section} has a release each`,
      {hint: `state it in the section ${section} itself, or leave it out`},
    )
  }
}

function ofPart(values: Values, part: Part): Values {
  // A key of the service's name is for all its components.
  const kept = new Set([part.chart, 'default', ...keysOf(part.chart, part.name)])
  const keys = (components: readonly string[]) =>
    new Set(components.flatMap((each) => keysOf(part.chart, each)).filter((key) => !kept.has(key)))
  const places = part.name === COMMON ? OWN_PLACES : [...OWN_PLACES, ...TOLD_TO_COMMON]
  const others = keys(part.others)
  const uncounted = keys(part.others.filter((each) => !part.counted.includes(each)))
  const pruned = (tree: Values) =>
    without(
      places.reduce((left, place) => without(left, place, others), tree),
      REPLICAS,
      uncounted,
    )
  const {global} = values
  const own = pruned(values)
  return isMap(global) ? withMap(own, 'global', pruned(global)) : own
}

/** Takes keys away at a place, and maps that are empty for it. */
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
