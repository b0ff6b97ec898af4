import type {RenderedObject} from '../../kubernetes/manifest/manifest.ts'
import type {ReleaseId} from '../../release.ts'
import type {DeployedRelease} from './place.ts'

/** A release with what its chart renders in several ways. */
export interface ExaminedRelease {
  readonly release: ReleaseId
  /** The objects that it renders with the values of the environment. */
  readonly objects: readonly RenderedObject[]
  /** The objects that it renders while the kinds that it defines itself, except in `crds/`, are not known yet. */
  readonly atFirst: readonly RenderedObject[]
  /** The objects that it renders a second time, if the result may be random; else the same list as `objects`. */
  readonly again: readonly RenderedObject[]
  /** Files of the chart that look something up on a cluster that was not asked, perhaps to keep a random value. */
  readonly lookingUp?: ReadonlySet<string>
  /** The objects that it renders as the next version of the chart with other images; empty if that does not render. */
  readonly next: readonly RenderedObject[]
  /** The deployed revision; left out if no cluster was asked, or the release is not deployed. */
  readonly deployed?: ComparedRelease | undefined
}

/** The deployed revision, and the objects that an upgrade would render. */
export interface ComparedRelease extends DeployedRelease {
  readonly upgrade: readonly RenderedObject[]
  /** The cluster's refusals of changed objects, by identity of the object; undefined where it could not be asked. */
  readonly refusals?: ReadonlyMap<string, string> | undefined
}
