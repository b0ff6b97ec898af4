import {KkError} from '../../base/errors.ts'
import type {Dependency, Labels} from './dependency.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the dependencies in the DEPENDENCY_* variables of kubernetes-entrypoint: `namespace:name`, or a
 * name in the pod's own NAMESPACE. A variable that cannot be parsed is an error, because the pod would
 * otherwise start too early. Throws `KK_DEPENDENCY`. Source:
 * https://opendev.org/airship/kubernetes-entrypoint
 */
export function parseDependencies(env: Environment): readonly Dependency[] {
  const ownNamespace = env.NAMESPACE || 'default'
  const named = (kind: 'service' | 'daemonset' | 'job', variable: string): readonly Dependency[] =>
    words(env, variable).map((word) => ({kind, ...place(word, ownNamespace, variable)}))
  return [
    ...named('service', 'DEPENDENCY_SERVICE'),
    ...named('daemonset', 'DEPENDENCY_DAEMONSET'),
    // As in kubernetes-entrypoint, the JSON variable wins.
    ...(env.DEPENDENCY_JOBS_JSON ? jobs(env, ownNamespace) : named('job', 'DEPENDENCY_JOBS')),
    ...pods(env, ownNamespace),
    ...resources(env, ownNamespace),
    ...words(env, 'DEPENDENCY_CONTAINER').map((name) => ({kind: 'container' as const, name})),
    ...words(env, 'DEPENDENCY_SOCKET').map((path) => ({kind: 'socket' as const, path})),
  ]
}

function words(env: Environment, variable: string): readonly string[] {
  return (env[variable] ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

function place(word: string, ownNamespace: string, variable: string): {namespace: string; name: string} {
  const parts = word.split(':')
  if (parts.length === 1) return {namespace: ownNamespace, name: word}
  const [namespace, name] = parts
  if (parts.length === 2 && namespace && name) return {namespace, name}
  throw malformed(variable, `${JSON.stringify(word)} is neither NAME nor NAMESPACE:NAME`)
}

interface Entry {
  readonly namespace?: string
  readonly name?: string
  readonly labels?: Labels
  readonly requireSameNode?: boolean
  readonly apiVersion?: string
  readonly kind?: string
  readonly fields?: readonly {key: string; value: string}[]
  readonly conditions?: readonly {type: string; status?: string}[]
}

function jobs(env: Environment, ownNamespace: string): readonly Dependency[] {
  return entries(env, 'DEPENDENCY_JOBS_JSON').map(({namespace = ownNamespace, name, labels}) => {
    if (name && !labels) return {kind: 'job', namespace, name}
    if (labels && !name) return {kind: 'jobs', namespace, labels}
    throw malformed('DEPENDENCY_JOBS_JSON', 'each entry has either a name or labels')
  })
}

function pods(env: Environment, ownNamespace: string): readonly Dependency[] {
  return entries(env, 'DEPENDENCY_POD_JSON').map(
    ({namespace = ownNamespace, labels, requireSameNode = false}) => {
      if (labels) return {kind: 'pod', namespace, labels, sameNode: requireSameNode}
      throw malformed('DEPENDENCY_POD_JSON', 'each entry has labels')
    },
  )
}

function resources(env: Environment, ownNamespace: string): readonly Dependency[] {
  return entries(env, 'DEPENDENCY_CUSTOM_RESOURCE').map((entry) => {
    const {apiVersion, kind, name, namespace = ownNamespace, fields = [], conditions = []} = entry
    if (!apiVersion || !kind || !name)
      throw malformed('DEPENDENCY_CUSTOM_RESOURCE', 'each entry has apiVersion, kind and name')
    const met = conditions.map(({type, status = 'True'}) => ({type, status}))
    return {kind: 'resource', apiVersion, of: kind, name, namespace, fields, conditions: met}
  })
}

function entries(env: Environment, variable: string): readonly Entry[] {
  const text = env[variable]
  if (!text) return []
  try {
    const read = JSON.parse(text) as unknown
    if (Array.isArray(read)) return read as readonly Entry[]
  } catch {
    // The message of a SyntaxError quotes the string.
    throw malformed(variable, 'it is not JSON')
  }
  throw malformed(variable, 'it is not a list')
}

function malformed(variable: string, why: string): KkError {
  return new KkError('KK_DEPENDENCY', `${variable} cannot be read: ${why}`, {
    hint: 'its form is that of kubernetes-entrypoint: kk docs images',
  })
}
