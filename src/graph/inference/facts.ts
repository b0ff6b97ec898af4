import {hash} from 'node:crypto'
import type {EdgeKind, ReleaseId, Waiter} from '../../release.ts'

/**
 * The kind of a want: the kind of its edge, or `soft` if the target is only mentioned. A soft want orders
 * releases that are present, and adds none.
 */
export type WantKind = EdgeKind | 'soft'

/** The object that another object waits for or uses. The namespace defaults to that of the release. */
export type Target =
  | {readonly what: 'object'; readonly kind: string; readonly name: string; readonly namespace?: string}
  /** Pods with these labels. */
  | {
      readonly what: 'pods'
      readonly labels: Readonly<Record<string, string>>
      readonly namespace?: string
    }
  /** A custom kind, and so its definition. With a name, it refers to that object if a chart creates it. */
  | {
      readonly what: 'kind'
      readonly group: string
      readonly kind: string
      readonly name?: string
      readonly namespace?: string
    }
  /** A Service by the variable that Kubernetes sets for it: `KEYSTONE_API` of `KEYSTONE_API_SERVICE_HOST`. */
  | {readonly what: 'link'; readonly variable: string}
  /** A word that may be a host name, as `wordDigest` because it may be part of a password. */
  | {readonly what: 'host'; readonly digest: string}

/** A dependency of an object of a chart on another release. */
export interface Want {
  readonly kind: WantKind
  readonly target: Target
  /** The object that needs it: `Deployment/keystone-api`. */
  readonly object: string
  readonly waiter: Waiter
  /** The file of the chart that renders the object. */
  readonly file: string
  /**
   * The position in the object, for messages: `init container init, DEPENDENCY_SERVICE openstack:mariadb`.
   */
  readonly text: string
}

/** An object that a chart renders, with the fields by which others can refer to it. */
export interface ProvidedObject {
  /** The API version; only set for a custom resource. */
  readonly apiVersion?: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
  readonly file: string
  /** The ports; only set for a Service. */
  readonly ports?: readonly number[]
}

/** The objects in the render of one chart that others can use. */
export interface Provided {
  readonly objects: readonly ProvidedObject[]
  readonly pods: readonly {
    readonly labels: Readonly<Record<string, string>>
    readonly namespace?: string
  }[]
  /** The custom resource definitions. */
  readonly kinds: readonly {
    readonly group: string
    readonly kind: string
    readonly plural: string
    readonly versions: readonly string[]
  }[]
  /** The resources that fail-closed webhooks must admit; `*` is any. */
  readonly guarded: readonly {readonly group: string; readonly resource: string}[]
  /** The names of Secrets and ConfigMaps that Jobs receive and may create, as `wordDigest`. */
  readonly madeByJobs: readonly string[]
}

/** The facts about requirements in the render of one chart. */
export interface ChartFacts {
  readonly wants: readonly Want[]
  readonly provided: Provided
  /** Set if it has hooks that helm runs after applying the rest: its pods may wait for them. */
  readonly hooksAfter?: true
}

/**
 * A release with its facts, or an available chart with the facts of the release that would be added for it.
 */
export interface KnownRelease {
  readonly release: ReleaseId
  readonly facts: ChartFacts
  /** Whether the chart is annotated as shared infrastructure: a release that names it requires it. */
  readonly shared: boolean
}

/**
 * Returns the digest of a word that may be the name of an object, as 16 hex digits, for comparison with
 * names. The words themselves are never kept because any may be a password, or part of one.
 */
export function wordDigest(word: string): string {
  return hash('sha256', word).slice(0, 16)
}
