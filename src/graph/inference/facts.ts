import {hash} from 'node:crypto'
import type {EdgeKind, ReleaseId, Waiter} from '../../release.ts'

/**
 * The kind of a want: that of an edge, or `soft`: the target is only named somewhere, so that it orders the releases
 * that are there anyway, and adds none.
 */
export type WantKind = EdgeKind | 'soft'

/** The thing that an object waits for or uses. A namespace that is left out is that of the release. */
export type Target =
  | {readonly what: 'object'; readonly kind: string; readonly name: string; readonly namespace?: string}
  /** Pods with these labels. */
  | {
      readonly what: 'pods'
      readonly labels: Readonly<Record<string, string>>
      readonly namespace?: string
    }
  /** A custom kind, and so its definition. With a name, it is the object of that name where a chart makes it. */
  | {
      readonly what: 'kind'
      readonly group: string
      readonly kind: string
      readonly name?: string
      readonly namespace?: string
    }
  /** A Service by the variable that Kubernetes makes for it: `KEYSTONE_API` of `KEYSTONE_API_SERVICE_HOST`. */
  | {readonly what: 'link'; readonly variable: string}
  /** A word of a text in the place of a host, as `wordDigest`, for the word may be a part of a password. */
  | {readonly what: 'host'; readonly digest: string}

/** Something that an object of a chart needs from another release. */
export interface Want {
  readonly kind: WantKind
  readonly target: Target
  /** The object that needs it: `Deployment/keystone-api`. */
  readonly object: string
  readonly waiter: Waiter
  /** The file of the chart that makes the object. */
  readonly file: string
  /**
   * The place in the object that says so, for messages: `init container init, DEPENDENCY_SERVICE openstack:mariadb`.
   */
  readonly text: string
}

/** An object that a chart makes, with the fields by which others can want it. */
export interface ProvidedObject {
  /** The API version; only of a custom resource. */
  readonly apiVersion?: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
  readonly file: string
  /** The ports; only of a Service. */
  readonly ports?: readonly number[]
}

/** The objects that the render of one chart provides for others. */
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
  /** The resources that webhooks must admit and that fail closed; `*` is any. */
  readonly guarded: readonly {readonly group: string; readonly resource: string}[]
  /** The names of Secrets and ConfigMaps that Jobs receive and may make, as `wordDigest`. */
  readonly madeByJobs: readonly string[]
}

/** The facts about requirements in the render of one chart. */
export interface ChartFacts {
  readonly wants: readonly Want[]
  readonly provided: Provided
  /** Set where it has hooks that helm runs after the rest was applied: its pods may wait for them. */
  readonly hooksAfter?: true
}

/** A release, or a chart as the release that it would be, with its facts. */
export interface KnownRelease {
  readonly release: ReleaseId
  readonly facts: ChartFacts
  /** Whether the chart is annotated as shared infrastructure: a release that names it requires it. */
  readonly shared: boolean
}

/**
 * Returns the digest of a word that may be the name of something, as 16 hex digits, for comparison with names. The
 * words themselves are never kept: any may be a password, or a part of one.
 */
export function wordDigest(word: string): string {
  return hash('sha256', word).slice(0, 16)
}
