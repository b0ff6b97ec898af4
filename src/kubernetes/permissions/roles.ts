import {EQUIVALENT_VERBS, type Need, type NeedingVerb} from './need.ts'
import {NEEDS} from './needs.ts'
import {clusterChartNeeds, RENDERED_VERBS, renderedNeeds} from './rendered.ts'

/** One rule of a Role, with its purposes. */
export interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
  readonly why: readonly string[]
  /** What verbs do without the rule; empty if it is required. */
  readonly without: readonly string[]
}

/** The rights of one kind of work. */
export interface RoleSet {
  readonly verbs: readonly NeedingVerb[]
  /** The verbs on the objects that the charts render. */
  readonly rendered?: readonly string[]
}

/** The verbs that the operator executes too. */
const CHANGES = ['deploy', 'rollback', 'unlock', 'drift --prune', 'facts'] as const

export const ROLE_SETS = {
  look: {verbs: ['status', 'plan', 'history', 'facts']},
  drift: {verbs: ['drift'], rendered: ['get', 'patch']},
  change: {verbs: [...CHANGES, 'adopt'], rendered: RENDERED_VERBS},
  upgrade: {verbs: ['plan --upgrade-checks']},
  test: {verbs: ['test']},
  audit: {verbs: ['audit']},
  logs: {verbs: ['logs']},
  // kk node roll watches the health of the releases.
  node: {verbs: ['node drain', 'status']},
  remove: {verbs: ['remove', 'orphans'], rendered: ['get', 'delete']},
  steer: {
    verbs: [
      ...['operator adopt', 'operator pause', 'operator status', 'operator follow'],
      ...['deploy --in-cluster', 'deploy --via operator', 'run follow'],
    ] as const,
  },
} as const satisfies Record<string, RoleSet>

/** The rights of the operator itself, which does everything that `change` allows. */
export const OPERATOR_ROLES: RoleSet = {
  verbs: [...CHANGES, ...ROLE_SETS.drift.verbs, 'operator run'],
  rendered: ROLE_SETS.change.rendered,
}

/** The rights of the operator in a remote cluster, which has no objects of its kinds. */
export const SITE_ROLES: RoleSet = {
  verbs: [...CHANGES, ...ROLE_SETS.drift.verbs, 'operator run elsewhere'],
  rendered: ROLE_SETS.change.rendered,
}

/** Returns the rights of an operator that may remove releases of an approved plan. */
export function withRemoval({verbs, rendered = []}: RoleSet): RoleSet {
  return {verbs: [...verbs, ...ROLE_SETS.remove.verbs], rendered}
}

/** The rights of an operator for NodeOperations, in addition to those for Environments. */
export const NODE_OPERATION_ROLES: RoleSet = {verbs: ['node drain']}

/** Returns the rights of an operator that carries out NodeOperations. */
export function withNodeOperations({verbs, rendered = []}: RoleSet): RoleSet {
  return {verbs: [...verbs, ...NODE_OPERATION_ROLES.verbs], rendered}
}

/** Returns the rules of a removal on the cluster, including those that are optional for the command line. */
export function removalRules(): readonly Rule[] {
  return rulesOf(ROLE_SETS.remove).cluster
}

/** The rights of a worker process of the operator, which executes actions, and neither plans nor removes. */
export const CHILD_ROLES: RoleSet = {
  verbs: ['operator run --role child'],
  rendered: ROLE_SETS.change.rendered,
}

/** Returns the verbs of a set, with those that need the same rights. */
export function roleSetVerbs({verbs}: RoleSet): readonly string[] {
  return verbs.flatMap((verb) => [verb, ...(EQUIVALENT_VERBS[verb] ?? [])])
}

/**
 * Returns the rules of a set by place; rules for rendered objects are separate, because only their kinds
 * vary.
 */
export function rulesOf(set: RoleSet): Readonly<Record<Need['where'] | 'rendered', readonly Rule[]>> {
  const needs = set.verbs.flatMap((verb) => NEEDS[verb])
  const at = (where: Need['where']) => rules(needs.filter((need) => need.where === where))
  return {
    cluster: at('cluster'),
    'kk-system': at('kk-system'),
    release: at('release'),
    rendered: rules(renderedNeeds(set.rendered ?? [])),
  }
}

/** Returns the rules for the cluster-scoped objects that kk's own charts render. */
export function clusterChartRules(): readonly Rule[] {
  return rules(clusterChartNeeds())
}

/**
 * Returns each right on a resource once; a right that is required by one verb and optional for another is
 * required.
 */
function rules(needs: readonly Need[]): readonly Rule[] {
  const required = needs.filter(({without, verbs}) => without === undefined && verbs.length > 0)
  const isRequired = ({group, resource, names}: Need, verb: string) =>
    required.some(
      (need) =>
        need.group === group &&
        need.resource === resource &&
        need.verbs.includes(verb) &&
        String(need.names) === String(names),
    )
  const optional = needs
    .filter(({without}) => without !== undefined)
    .map((need) => ({...need, verbs: need.verbs.filter((verb) => !isRequired(need, verb))}))
    .filter(({verbs}) => verbs.length > 0)
  return [...merged(required), ...merged(optional)]
}

function merged(needs: readonly Need[]): readonly Rule[] {
  const perResource = groups(needs, ({group, resource, names}) => [group, resource, names]).map(
    (same): Rule => {
      const {group, resource, names} = same[0]!
      return {
        apiGroups: [group],
        resources: [resource],
        ...(names && {resourceNames: names}),
        verbs: unique(same.flatMap(({verbs}) => verbs)),
        why: unique(same.map(({why}) => why)),
        without: unique(same.flatMap(({without}) => without ?? [])),
      }
    },
  )
  return groups(perResource, ({resources: _, ...rest}) => rest).map((same) => ({
    ...same[0]!,
    resources: same.flatMap(({resources}) => resources),
  }))
}

function groups<T>(items: readonly T[], key: (item: T) => unknown): readonly (readonly T[])[] {
  return [...Map.groupBy(items, (item) => JSON.stringify(key(item))).values()]
}

function unique(items: readonly string[]): readonly string[] {
  return [...new Set(items)]
}
