import {dig, digMaps, digText} from '../base/dig.ts'
import type {Position} from '../base/position.ts'
import {underscored} from '../base/underscored.ts'
import {isMap, type Values} from '../base/values.ts'
import type {Part} from '../environment/environment.ts'
import {COMMON, ROLLOUT} from '../release.ts'

interface Whole {
  readonly section: string
  readonly chart: string
  /**
   * The values of the chart with the values of the section merged over them: the settings of the components.
   */
  readonly values: Values
  /** The file of the environment, which has `components: true`. */
  readonly file: string
  readonly position: Position | undefined
}

/**
 * Returns the releases of a section, by name, as the library renders them: `common`, one for each component
 * in the order of the chart, and `rollout` if there is such a job; none for a chart without components. A
 * component requires `common`, and the components whose endpoints it needs; `rollout` requires all of them.
 */
export function partsOf(chartParts: Whole): ReadonlyMap<string, Part> {
  const {section, chart, values, position} = chartParts
  const facts = Object.entries(mapAt(values, 'components')).filter(([, each]) => isMap(each))
  const components = facts.map(([name]) => name)
  if (components.length === 0) return new Map()
  const sets = facts.filter(([, each]) => digText(each, 'kind') === 'StatefulSet').map(([name]) => name)
  const counted = (part: string) => [...new Set([...sets, ...(part === ROLLOUT ? expected(values) : [])])]
  const partName = (part: string) => `${section}-${part}`
  const makePart = (name: string, required: readonly Required[]): [string, Part] => [
    partName(name),
    {
      section,
      name,
      chart,
      siblings: components.filter((each) => each !== name),
      counted: counted(name).filter((each) => each !== name),
      images: imagesOf(values, name),
      requires: required.map(({part, evidence}) => ({release: partName(part), kind: 'ready', evidence})),
      ...(position && {position}),
    },
  ]
  const all = [COMMON, ...components].map((part) => ({part, evidence: chosen(chartParts)}))
  return new Map([
    makePart(COMMON, []),
    ...components.map((name) =>
      makePart(name, [{part: COMMON, evidence: chosen(chartParts)}, ...needed(chartParts, components, name)]),
    ),
    ...(hasLateJobs(values) ? [makePart(ROLLOUT, all)] : []),
  ])
}

interface Required extends Pick<Part['requires'][number], 'evidence'> {
  readonly part: string
}

function chosen({section, file, position}: Whole): Required['evidence'] {
  const line = position && {line: position.line}
  return {source: 'environment', file, ...line, text: `kk.releases.${section}.components: true`}
}

/**
 * Returns the other components whose endpoints a component waits for, from its settings or openstack-helm's.
 */
function needed({chart, values}: Whole, components: readonly string[], name: string): readonly Required[] {
  const needs = texts(dig(values, 'components', name, 'needs'))
  const own = needs.map((need) => ({need, text: `components.${name}.needs: [${needs.join(', ')}]`}))
  const fromDependencies = keysOf(chart, name).flatMap((key) =>
    digMaps(values, 'dependencies', 'static', key, 'services').map((each) => {
      const need = digText(each, 'service')
      return {need, text: `dependencies.static.${key}.services: ${need}`}
    }),
  )
  return [...own, ...fromDependencies].flatMap(({need, text}) =>
    components
      .filter((each) => each !== name && digText(values, 'components', each, 'endpoint') === need)
      .map((part) => ({part, evidence: {source: 'annotation', file: `${chart}/values.yaml`, text}})),
  )
}

/** Returns the components whose replicas the status of the service is compared with. */
function expected(values: Values): readonly string[] {
  const checks = Object.values(mapAt(values, 'service_status', 'checks'))
  return checks.flatMap((check) =>
    Object.values(mapAt(check, 'least')).flatMap((least) => digText(least, 'replicas') ?? []),
  )
}

/** Returns the components whose images the variables of a component name. */
function imagesOf(values: Values, component: string): readonly string[] {
  const variables = Object.values(mapAt(values, 'components', component, 'variables'))
  return variables.flatMap((variable) => digText(variable, 'image') ?? [])
}

function hasLateJobs(values: Values): boolean {
  if (isMap(values['service_status'])) return true
  return Object.values(mapAt(values, 'jobs')).some(
    (job) => texts(dig(job, 'rollout')).length > 0 || dig(job, 'gate') === false,
  )
}

/** Returns the keys of a component in openstack-helm's maps: `common.context.pick` of the library. */
export function keysOf(chart: string, component: string): readonly string[] {
  const [name, ofChart] = [component, `${chart}-${component}`].map(underscored)
  return [...new Set([component, name!, ofChart!])]
}

function texts(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : []
}

function mapAt(tree: unknown, ...path: readonly string[]): Values {
  const map = dig(tree, ...path)
  return isMap(map) ? map : {}
}
