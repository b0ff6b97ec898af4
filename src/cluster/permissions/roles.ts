import type {Need} from './need.ts'
import {NEEDS} from './needs.ts'
import {RENDERED_VERBS, renderedNeeds} from './rendered.ts'
import {ALIKE, type NeedingVerb} from './verbs.ts'

/** One rule of a Role, with what it is for. */
export interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
  readonly why: readonly string[]
  /** How verbs go on without; empty where some do not. */
  readonly without: readonly string[]
}

/** The rights of those who do the same kind of work. */
export interface RoleSet {
  readonly verbs: readonly NeedingVerb[]
  /** What is done with the objects that the charts render. */
  readonly rendered?: readonly string[]
}

export const ROLE_SETS = {
  look: {verbs: ['status', 'plan', 'history', 'facts']},
  drift: {verbs: ['drift'], rendered: ['get', 'patch']},
  change: {verbs: ['deploy', 'rollback', 'unlock', 'drift --prune', 'facts'], rendered: RENDERED_VERBS},
  test: {verbs: ['test']},
  remove: {verbs: ['remove', 'orphans'], rendered: ['get', 'delete']},
} as const satisfies Record<string, RoleSet>

/** The verbs of a set, with those that need the same. */
export function verbsOf({verbs}: RoleSet): readonly string[] {
  return verbs.flatMap((verb) => [verb, ...(ALIKE[verb] ?? [])])
}

/** The rules of a set by place; those on what the charts render are apart, for only their kinds vary. */
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

/** What is needed of a resource, once: a right that one verb can do without and another cannot is needed. */
function rules(needs: readonly Need[]): readonly Rule[] {
  const necessary = needs.filter(({without, verbs}) => without === undefined && verbs.length > 0)
  const isNecessary = ({group, resource, names}: Need, verb: string) =>
    necessary.some(
      (need) =>
        need.group === group &&
        need.resource === resource &&
        need.verbs.includes(verb) &&
        String(need.names) === String(names),
    )
  const optional = needs
    .filter(({without}) => without !== undefined)
    .map((need) => ({...need, verbs: need.verbs.filter((verb) => !isNecessary(need, verb))}))
    .filter(({verbs}) => verbs.length > 0)
  return [...merged(necessary), ...merged(optional)]
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
