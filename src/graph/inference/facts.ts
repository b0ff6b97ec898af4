import type {EdgeKind, ReleaseId, Waiter} from '../../release.ts'

/** As the kinds of an edge; `soft`: it is named somewhere, so that it orders what is there anyway, and adds nothing. */
export type WantKind = EdgeKind | 'soft'

/** What an object waits for or uses. A namespace that is left out is the release's own. */
export type Target =
  | {readonly what: 'object'; readonly kind: string; readonly name: string; readonly namespace?: string}
  /** Pods with these labels. */
  | {
      readonly what: 'pods'
      readonly labels: Readonly<Record<string, string>>
      readonly namespace?: string
    }
  /** A custom kind, and so its definition; with a name, the object of that name where a chart makes it. */
  | {
      readonly what: 'kind'
      readonly group: string
      readonly kind: string
      readonly name?: string
      readonly namespace?: string
    }
  /** A Service by the variable that Kubernetes makes of it: `KEYSTONE_API` of `KEYSTONE_API_SERVICE_HOST`. */
  | {readonly what: 'link'; readonly variable: string}
  /** A word of a text where a host stands, as `wordDigest` of it: it may as well be a part of a password. */
  | {readonly what: 'host'; readonly digest: string}

/** One thing that an object of a chart needs of somebody. */
export interface Want {
  readonly kind: WantKind
  readonly target: Target
  /** The object that needs it: `Deployment/keystone-api`. */
  readonly object: string
  readonly waiter: Waiter
  /** The file of the chart that makes the object. */
  readonly file: string
  /** Where in the object it says so, for people: `init container init, DEPENDENCY_SERVICE openstack:mariadb`. */
  readonly text: string
}

/** An object that a chart makes, as far as others can want it. */
export interface ProvidedObject {
  /** Of a custom resource. */
  readonly apiVersion?: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
  readonly file: string
  /** Of a Service. */
  readonly ports?: readonly number[]
}

/** What the render of one chart gives to others. */
export interface Provided {
  readonly objects: readonly ProvidedObject[]
  readonly pods: readonly {
    readonly labels: Readonly<Record<string, string>>
    readonly namespace?: string
  }[]
  /** Custom resource definitions. */
  readonly kinds: readonly {
    readonly group: string
    readonly kind: string
    readonly plural: string
    readonly versions: readonly string[]
  }[]
  /** What webhooks that fail closed must pass; `*` is any. */
  readonly guarded: readonly {readonly group: string; readonly resource: string}[]
  /** What Jobs are told as names of Secrets and ConfigMaps, and perhaps make; as `wordDigest`. */
  readonly madeByJobs: readonly string[]
}

/** What the render of one chart says of requirements. */
export interface ChartFacts {
  readonly wants: readonly Want[]
  readonly provided: Provided
}

/** A release, or what a chart would be as a release, with its facts. */
export interface KnownRelease {
  readonly release: ReleaseId
  readonly facts: ChartFacts
  /** Annotated as shared infrastructure: who names it, requires it. */
  readonly shared: boolean
}
