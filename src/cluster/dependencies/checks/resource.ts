import {readObject} from '../../api/resources.ts'
import type {Asker} from '../asker.ts'
import type {ResourceDependency} from '../dependency.ts'

interface Conditioned {
  readonly status?: {readonly conditions?: readonly {readonly type: string; readonly status: string}[]}
}

/** Why an object is not as it is waited for; undefined when it is. */
export async function resourceProblem(
  {apiVersion, of, namespace, name, fields, conditions}: ResourceDependency,
  {client, discovery}: Pick<Asker, 'client' | 'discovery'>,
): Promise<string | undefined> {
  const resource = await discovery.find(apiVersion, of)
  if (resource === undefined) return `the cluster has no ${apiVersion} ${of}`
  const object = await readObject<Conditioned>(client, resource, {namespace, name})
  if (object === undefined) return 'it does not exist'
  for (const {key, value} of fields) {
    const found = valueAt(object, key)
    if (String(found) !== value) return `${key} is ${JSON.stringify(found) ?? 'not there'}, not ${value}`
  }
  for (const {type, status} of conditions) {
    const found = object.status?.conditions?.find((condition) => condition.type === type)
    if (found?.status !== status) return `condition ${type} is ${found?.status ?? 'not there'}, not ${status}`
  }
  return undefined
}

/** `status.phase`: one key below the other. */
function valueAt(object: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], object)
}
