import type {Resource} from '../kubernetes/api/resources.ts'
import {KK_NAMESPACE} from '../kubernetes/lease/lease.ts'
import type {Objects} from '../kubernetes/objects/objects.ts'
import {canonicalJson} from '../plan/digest.ts'

/** The field manager of what the operator writes. */
export const MANAGER = 'kk-operator'
/** The operator's Lease is held as that of the release that the operator itself would be. */
export const OPERATOR_LEASE = `${KK_NAMESPACE}/kk-operator` as const

/** An object in `kk-system` whose spec, or whose status, the operator writes. */
export interface CachedObject {
  readonly metadata: {
    readonly name: string
    readonly labels?: Readonly<Record<string, string>>
    readonly generation?: number
  }
  readonly spec?: object
  readonly status?: object
}

/** Writes objects of one kind, each only if it differs from what was seen or written last. */
export interface ApplyCache {
  /** Writes the spec, or the status, of an object. */
  apply(object: CachedObject): Promise<void>
  /** Writes fields of the spec that `keep` does not write, as a manager of their own; those that it wrote before, and not now, go. */
  applySpec(name: string, spec: object, manager: string): Promise<void>
  /** Takes note of an object as the cluster has it, unless it was written here. */
  observe(object: CachedObject): void
  /** The status that was seen or written last. */
  status(name: string): object | undefined
  /** The generation of the spec that was seen or written last. */
  generation(name: string): number
  /** Takes note that an object is gone. */
  forget(name: string): void
}

export function newApplyCache(objects: Pick<Objects, 'apply'>, resource: Resource): ApplyCache {
  const cached = {spec: new Map<string, object>(), status: new Map<string, object>()}
  const generations = new Map<string, number>()
  const setGeneration = (name: string, generation = 1) =>
    generations.set(name, Math.max(generation, generations.get(name) ?? 1))
  return {
    async apply({metadata, spec, status}) {
      const part = status === undefined ? 'spec' : 'status'
      const content = plain(status ?? spec ?? {})
      const before = cached[part].get(metadata.name)
      if (before !== undefined && canonicalJson(before) === canonicalJson(content)) return
      const {apiVersion, kind} = resource
      const object = {apiVersion, kind, metadata: {...metadata, namespace: KK_NAMESPACE}, [part]: content}
      const applied = await objects.apply(resource, object, {manager: MANAGER, status: part === 'status'})
      setGeneration(metadata.name, applied.metadata.generation)
      cached[part].set(metadata.name, content)
    },
    async applySpec(name, spec, manager) {
      const {apiVersion, kind} = resource
      const object = {apiVersion, kind, metadata: {name, namespace: KK_NAMESPACE}, spec}
      const applied = await objects.apply(resource, object, {manager})
      setGeneration(name, applied.metadata.generation)
    },
    observe({metadata: {name, generation}, spec, status}) {
      setGeneration(name, generation)
      if (spec && !cached.spec.has(name)) cached.spec.set(name, spec)
      if (status && !cached.status.has(name)) cached.status.set(name, status)
    },
    status: (name) => cached.status.get(name),
    generation: (name) => generations.get(name) ?? 1,
    forget(name) {
      cached.spec.delete(name)
      cached.status.delete(name)
      generations.delete(name)
    },
  }
}

/** Returns the object as it is sent: without keys that have no value. */
function plain(content: object): object {
  return JSON.parse(JSON.stringify(content)) as object
}
