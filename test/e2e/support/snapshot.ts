import {get} from './cluster.ts'
import {helmRecords} from './records.ts'

const KINDS = 'secrets,configmaps,deployments,statefulsets,jobs'

interface Listed {
  readonly items: readonly {
    readonly kind: string
    readonly metadata: {
      readonly name: string
      readonly uid: string
      readonly resourceVersion: string
      /** Counts changes of what is wanted; objects without a status have none. */
      readonly generation?: number
    }
  }[]
}

/**
 * Everything in a namespace that a release could have, a line each: equal when nobody changed anything in
 * between. What controllers note in a status does not count.
 */
export async function snapshot(namespace: string): Promise<string> {
  const {items} = await get<Listed>(KINDS, '--namespace', namespace)
  const lines = items.map(
    ({kind, metadata: {name, uid, resourceVersion, generation}}) =>
      `${kind}/${name} ${uid} ${generation ?? `version ${resourceVersion}`}`,
  )
  return lines.join('\n')
}

/** `keystone 2 deployed`: name, revision and status of every record of helm in a namespace. */
export async function records(namespace: string): Promise<string[]> {
  const all = await helmRecords(namespace)
  return all.map(({name, revision, status}) => `${name} ${revision} ${status}`)
}
