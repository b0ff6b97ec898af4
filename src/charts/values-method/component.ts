import type {WantKind} from '../../graph/inference/facts.ts'

/** One thing that a component of a chart waits for, as its values say. */
export interface ValueRequirement {
  /** `ready`: it waits; `soft`: it would, were it switched on, or it is only named. */
  readonly kind: WantKind
  /** What is waited for: `service oslo_db = openstack:mariadb`. */
  readonly what: string
  /** The chart that by its name provides it; undefined for one that no name tells, or for the chart itself. */
  readonly chart?: string
}

/** A component of a chart, as `dependencies.static` of openstack-helm names it. */
export interface Component {
  readonly name: string
  /** Its keys in `manifests`; none where nothing switches it. */
  readonly switches: readonly string[]
  readonly isOn: boolean
  readonly requires: readonly ValueRequirement[]
}
