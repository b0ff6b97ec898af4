import type {RenderedObject} from '../../../cluster/manifest.ts'
import type {ReleaseId} from '../../../release.ts'
import type {DeployedRelease} from './place.ts'

/** A release with what its chart renders in several ways. */
export interface ExaminedRelease {
  readonly release: ReleaseId
  /** What it renders with the values of the environment. */
  readonly objects: readonly RenderedObject[]
  /** What it renders while the kinds that it defines itself, except in `crds/`, are not known yet. */
  readonly atFirst: readonly RenderedObject[]
  /** What it renders a second time, where the result may be random; else the same list as `objects`. */
  readonly again: readonly RenderedObject[]
  /** Files of the chart that look something up on a cluster that was not asked, perhaps to keep a random value. */
  readonly lookingUp?: ReadonlySet<string>
  /** What it renders as the next version of the chart with other images; empty where that does not render. */
  readonly next: readonly RenderedObject[]
  /** What is deployed; left out where no cluster was asked, or the release is not deployed. */
  readonly deployed?: ComparedRelease | undefined
}

/** What is deployed, and what an upgrade would render. */
export interface ComparedRelease extends DeployedRelease {
  readonly upgrade: readonly RenderedObject[]
  /** The cluster's refusals of changed objects, by identity of the object; undefined where it could not be asked. */
  readonly refusals?: ReadonlyMap<string, string> | undefined
}
