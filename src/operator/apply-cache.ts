import type {Resource} from '../kubernetes/api/resources.ts'
import {KK_NAMESPACE} from '../kubernetes/lease/lease.ts'
import type {Objects} from '../kubernetes/objects/objects.ts'
import {canonicalJson} from '../plan/digest.ts'

/** The field manager of the operator. */
export const MANAGER = 'kk-operator'
/** The Lease for leader election, named like the Lease of a release `kk-operator`. */
export const OPERATOR_LEASE = `${KK_NAMESPACE}/kk-operator` as const

/** An object in `kk-system` with the spec or the status that the operator applies. */
export interface CachedObject {
  readonly metadata: {
    readonly name: string
    /** Without it, another object of the name may get the content. */
    readonly uid?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly generation?: number
  }
  readonly spec?: object
  readonly status?: object
}

/**
 * Applies objects of one kind (server-side apply), each only if it differs from its last observed or applied
 * state.
 */
export interface ApplyCache {
  /** Applies the status of an object if there is one, else the spec. */
  apply(object: CachedObject): Promise<void>
  /**
   * Applies fields of the spec with a separate field manager; fields that it applied before and not now are
   * removed.
   */
  applySpec(name: string, spec: object, manager: string): Promise<void>
  /** Caches an object as read from the cluster, unless it was applied here. */
  observe(object: CachedObject): void
  /** Returns the last observed or applied status. */
  status(name: string): object | undefined
  /** Returns the highest observed generation; 1 by default. */
  generation(name: string): number
  /** Removes a deleted object from the cache. */
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

/** Returns the object as JSON has it: without undefined values. */
function plain(content: object): object {
  return JSON.parse(JSON.stringify(content)) as object
}
