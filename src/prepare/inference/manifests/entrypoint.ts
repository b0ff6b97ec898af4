import type {Target, Want} from '../../../graph/inference/facts.ts'
import {isBuiltIn} from '../../../kubernetes/inventory/custom-kinds.ts'
import type {KubernetesObject} from '../../../kubernetes/manifest/kubernetes-object.ts'
import {literalVariables, type NamedContainer, type PodTemplate} from '../../../kubernetes/manifest/pods.ts'
import type {Waiter} from '../../../release.ts'

/** A want that a rule finds in an object; the object and its file are the same for all rules. */
export type RuleWant = Pick<Want, 'kind' | 'target' | 'text'>

/** An object with the data that rules inspect. */
export interface WaitingObject {
  readonly object: KubernetesObject
  readonly waiter: Waiter
  /** Undefined for objects without pods. */
  readonly template: PodTemplate | undefined
  readonly containers: readonly NamedContainer[]
  /** All strings of the object; see `objectStrings`. */
  readonly text: string
}

/**
 * Parses the value of a variable of kubernetes-entrypoint, the program with which openstack-helm's pods wait.
 */
type Reader = (value: string) => readonly Target[]

const READERS: Readonly<Record<string, Reader>> = {
  DEPENDENCY_SERVICE: named('Service'),
  DEPENDENCY_JOBS: named('Job'),
  DEPENDENCY_DAEMONSET: named('DaemonSet'),
  DEPENDENCY_JOBS_JSON: (value) =>
    maps(value).flatMap((each) => objectTarget('Job', each) ?? podsTarget(each)),
  DEPENDENCY_POD_JSON: (value) => maps(value).flatMap(podsTarget),
  DEPENDENCY_CUSTOM_RESOURCE: (value) => maps(value).flatMap(kindTarget),
}

/** Returns what containers wait for according to their variables of kubernetes-entrypoint. */
export function entrypointWants({containers, waiter}: WaitingObject): readonly RuleWant[] {
  const kind = waiter === 'cron' ? 'soft' : 'ready'
  return containers.flatMap(({container, title}) =>
    [...literalVariables(container)].flatMap(([name, value]) =>
      (READERS[name]?.(value) ?? []).map((target) => ({
        kind,
        target,
        text: `${title}, ${name} ${formatTarget(target)}`,
      })),
    ),
  )
}

/** Parses a comma-separated list of `namespace:name`. */
function named(kind: string): Reader {
  return (value) =>
    value
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '')
      .map((word) => {
        const colon = word.lastIndexOf(':')
        const namespace = colon < 0 ? {} : {namespace: word.slice(0, colon)}
        return {what: 'object', kind, name: word.slice(colon + 1), ...namespace}
      })
}

type Json = Readonly<Record<string, unknown>>

/** Returns the maps of a JSON list; empty for any other string. */
function maps(value: string): readonly Json[] {
  try {
    const parsed: unknown = JSON.parse(value)
    return Array.isArray(parsed) ? parsed.filter((each) => typeof each === 'object' && each !== null) : []
  } catch {
    return []
  }
}

function objectTarget(
  kind: string,
  {name, namespace}: Json,
): readonly Extract<Target, {what: 'object'}>[] | undefined {
  if (typeof name !== 'string' || name === '') return undefined
  return [{what: 'object', kind, name, ...namespaceField(namespace)}]
}

function podsTarget({labels, namespace}: Json): readonly Target[] {
  if (typeof labels !== 'object' || labels === null) return []
  return [{what: 'pods', labels: labels as Readonly<Record<string, string>>, ...namespaceField(namespace)}]
}

function kindTarget({apiVersion, kind, name, namespace}: Json): readonly Target[] {
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return []
  const named = objectTarget(kind, {name, namespace})
  if (isBuiltIn(apiVersion)) return named ?? []
  return [{...named?.[0], what: 'kind', group: apiVersion.split('/')[0]!, kind}]
}

function namespaceField(namespace: unknown): {readonly namespace?: string} {
  return typeof namespace === 'string' && namespace !== '' ? {namespace} : {}
}

function formatTarget(target: Target): string {
  if (target.what === 'object')
    return target.namespace === undefined ? target.name : `${target.namespace}:${target.name}`
  if (target.what === 'kind')
    return `${target.kind}.${target.group}${target.name === undefined ? '' : `/${target.name}`}`
  if (target.what !== 'pods') return ''
  return Object.entries(target.labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
}
