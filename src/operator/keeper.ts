import type {Resource} from '../kubernetes/api/resources.ts'
import {KK_NAMESPACE} from '../kubernetes/lease/lease.ts'
import type {Objects} from '../kubernetes/objects/objects.ts'
import {canonicalJson} from '../plan/digest.ts'

/** The field manager of what the operator writes. */
export const MANAGER = 'kk-operator'
/** The operator's Lease is held as that of the release that the operator itself would be. */
export const OPERATOR = `${KK_NAMESPACE}/kk-operator` as const

/** An object in `kk-system` whose spec, or whose status, the operator writes. */
export interface Kept {
  readonly metadata: {
    readonly name: string
    readonly labels?: Readonly<Record<string, string>>
    readonly generation?: number
  }
  readonly spec?: object
  readonly status?: object
}

/** Writes objects of one kind, each only if it differs from what was seen or written last. */
export interface Keeper {
  /** Writes the spec, or the status, of an object. */
  keep(object: Kept): Promise<void>
  /** Writes fields of the spec that `keep` does not write, as a manager of their own; those that it wrote before, and not now, go. */
  put(name: string, spec: object, manager: string): Promise<void>
  /** Takes note of an object as the cluster has it, unless it was written here. */
  see(object: Kept): void
  /** The status that was seen or written last. */
  status(name: string): object | undefined
  /** The generation of the spec that was seen or written last. */
  generation(name: string): number
  /** Takes note that an object is gone. */
  forget(name: string): void
}

export function newKeeper(objects: Pick<Objects, 'apply'>, resource: Resource): Keeper {
  const known = {spec: new Map<string, object>(), status: new Map<string, object>()}
  const generations = new Map<string, number>()
  const learn = (name: string, generation = 1) =>
    generations.set(name, Math.max(generation, generations.get(name) ?? 1))
  return {
    async keep({metadata, spec, status}) {
      const part = status === undefined ? 'spec' : 'status'
      const content = plain(status ?? spec ?? {})
      const before = known[part].get(metadata.name)
      if (before !== undefined && canonicalJson(before) === canonicalJson(content)) return
      const {apiVersion, kind} = resource
      const object = {apiVersion, kind, metadata: {...metadata, namespace: KK_NAMESPACE}, [part]: content}
      const applied = await objects.apply(resource, object, {manager: MANAGER, status: part === 'status'})
      learn(metadata.name, applied.metadata.generation)
      known[part].set(metadata.name, content)
    },
    async put(name, spec, manager) {
      const {apiVersion, kind} = resource
      const object = {apiVersion, kind, metadata: {name, namespace: KK_NAMESPACE}, spec}
      const applied = await objects.apply(resource, object, {manager})
      learn(name, applied.metadata.generation)
    },
    see({metadata: {name, generation}, spec, status}) {
      learn(name, generation)
      if (spec && !known.spec.has(name)) known.spec.set(name, spec)
      if (status && !known.status.has(name)) known.status.set(name, status)
    },
    status: (name) => known.status.get(name),
    generation: (name) => generations.get(name) ?? 1,
    forget(name) {
      known.spec.delete(name)
      known.status.delete(name)
      generations.delete(name)
    },
  }
}

/** Returns the object as it is sent: without keys that have no value. */
function plain(content: object): object {
  return JSON.parse(JSON.stringify(content)) as object
}
