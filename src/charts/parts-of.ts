import type {Part} from '../environment/environment.ts'
import {isMap, type Position, type Values} from '../release.ts'
import {dig, digMaps, digText} from './manifests/dig.ts'

/** The part that has what belongs to no component: configuration, jobs, Secrets, accounts. */
export const COMMON = 'common'

interface Whole {
  readonly section: string
  readonly chart: string
  /** The values of the chart under those of the section: the facts of the components. */
  readonly values: Values
  /** The file of the environment, and `components: true` in it. */
  readonly file: string
  readonly position: Position | undefined
}

/**
 * Returns the releases that a section becomes, by name: `common` first, then one for each component in the order of the chart; none
 * for a chart without components. A component requires `common`, and the components whose endpoints it `needs`. A job that waits for
 * a `rollout` is of the last of those components, as the library has it, which therefore requires the others. All these edges are `applied`, for
 * pods wait for jobs and services by themselves, also for those of `common`, whose jobs may wait for a component in turn.
 */
export function partsOf(whole: Whole): ReadonlyMap<string, Part> {
  const facts = Object.entries(mapAt(whole.values, 'components')).filter(([, each]) => isMap(each))
  const components = facts.map(([name]) => name)
  const counted = facts.filter(([, each]) => digText(each, 'kind') === 'StatefulSet').map(([name]) => name)
  const {section, chart, position} = whole
  const nameOf = (part: string) => `${section}-${part}`
  const partOf = (name: string): Part => ({
    section,
    name,
    chart,
    others: components.filter((each) => each !== name),
    counted: counted.filter((each) => each !== name),
    requires: (name === COMMON ? [] : [...ofCommon(whole), ...ofComponents(whole, components, name)]).map(
      ({part, ...rest}) => ({...rest, kind: 'applied', release: nameOf(part)}),
    ),
    ...(position && {position}),
  })
  const names = components.length === 0 ? [] : [COMMON, ...components]
  return new Map(names.map((name) => [nameOf(name), partOf(name)]))
}

type Found = Pick<Part['requires'][number], 'evidence'> & {readonly part: string}

function ofCommon({section, file, position}: Whole): readonly Found[] {
  const text = `kk.releases.${section}.components: true`
  const line = position && {line: position.line}
  return [{part: COMMON, evidence: {source: 'environment', file, ...line, text}}]
}

function ofComponents({chart, values}: Whole, components: readonly string[], name: string): readonly Found[] {
  const file = `${chart}/values.yaml`
  const endpointOf = (component: string) => digText(values, 'components', component, 'endpoint')
  const served = needsOf(values, chart, name).flatMap(({need, text}) =>
    components.filter((each) => endpointOf(each) === need).map((part) => ({part, text})),
  )
  const rolledOut = Object.entries(mapAt(values, 'jobs')).flatMap(([job, facts]) => {
    const rollout = texts(dig(facts, 'rollout')).filter((each) => components.includes(each))
    const text = `jobs.${job}.rollout: [${rollout.join(', ')}]`
    return rollout.at(-1) === name ? rollout.map((part) => ({part, text})) : []
  })
  return [...served, ...rolledOut]
    .filter(({part}) => part !== name)
    .map(({part, text}) => ({part, evidence: {source: 'annotation', file, text}}))
}

/** The endpoints that a component waits for, by its facts or as openstack-helm says so, and what says it. */
function needsOf(values: Values, chart: string, name: string) {
  const needs = texts(dig(values, 'components', name, 'needs'))
  const stated = keysOf(chart, name).flatMap((key) =>
    digMaps(values, 'dependencies', 'static', key, 'services').map((each) => ({
      need: digText(each, 'service'),
      text: `dependencies.static.${key}.services: ${digText(each, 'service')}`,
    })),
  )
  return [
    ...needs.map((need) => ({need, text: `components.${name}.needs: [${needs.join(', ')}]`})),
    ...stated,
  ]
}

/** The keys by which maps of openstack-helm's have something for a component: `common.context.pick` of the library. */
export function keysOf(chart: string, component: string): readonly string[] {
  const name = component.replaceAll('-', '_')
  return [...new Set([component, name, `${chart}_${name}`])]
}

function texts(found: unknown): readonly string[] {
  return Array.isArray(found) ? found.filter((each) => typeof each === 'string') : []
}

function mapAt(tree: unknown, ...path: readonly string[]): Values {
  const found = dig(tree, ...path)
  return isMap(found) ? found : {}
}
