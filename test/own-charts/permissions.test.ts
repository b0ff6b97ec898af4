import {describe, expect, it} from 'vitest'
import {
  clusterChartRules,
  OPERATOR_ROLES,
  type Rule,
  rulesOf,
} from '../../src/kubernetes/permissions/roles.ts'
import {SERVICES, useCharts, withAllObjects} from './support/charts.ts'
import type {KubernetesObject} from './support/objects.ts'

const charts = await useCharts()

type Right = readonly [group: string, resource: string, verb: string]

const {release, rendered} = rulesOf(OPERATOR_ROLES)
/** What who installs charts may do, in the namespace of a release and on the whole cluster. */
const ALLOWED = {namespace: [...release, ...rendered], cluster: clusterChartRules()}

function isAllowed(rules: readonly Rule[], [group, resource, verb]: Right): boolean {
  return rules.some(
    ({apiGroups, resources, verbs}) =>
      apiGroups.includes(group) && resources.includes(resource) && verbs.includes(verb),
  )
}

const placeOf = ({metadata}: KubernetesObject) =>
  metadata.namespace === undefined ? ('cluster' as const) : ('namespace' as const)

function plural(kind: string): string {
  const name = kind.toLowerCase()
  if (/(?:s|x|ch)$/.test(name)) return name === 'endpoints' ? name : `${name}es`
  return name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`
}

/** The rights on an object for who installs it. */
function rightsOn({apiVersion, kind}: KubernetesObject): readonly Right[] {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0]! : ''
  return ['get', 'create', 'patch', 'delete'].map((verb) => [group, plural(kind), verb] as const)
}

/** The rights that a Role gives, which its maker must have. */
function givenBy({rules = []}: KubernetesObject): readonly Right[] {
  return (rules as readonly Pick<Rule, 'apiGroups' | 'resources' | 'verbs'>[]).flatMap(
    ({apiGroups, resources, verbs}) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => [group, resource, verb] as const)),
      ),
  )
}

describe('the rights on kinds that charts render', () => {
  it.each(SERVICES)(
    'include each kind of kk’s own charts, and the rights of their Roles: %s',
    async (chart) => {
      const objects = await charts.render(chart, {values: withAllObjects(chart)})

      const missing = objects.flatMap((object) =>
        [...rightsOn(object), ...givenBy(object)]
          .filter((right) => !isAllowed(ALLOWED[placeOf(object)], right))
          .map((right) => `${object.kind} ${object.metadata.name}: ${right.join(' ')}`),
      )
      expect(missing).toEqual([])
    },
  )
})
