import type {RenderedObject} from '../../kubernetes/manifest/manifest.ts'
import type {ReleaseId} from '../../release.ts'
import type {DeployedRelease} from './place.ts'

/** A release with what its chart renders in several ways. */
export interface ExaminedRelease {
  readonly release: ReleaseId
  /** The objects that it renders with the values of the environment. */
  readonly objects: readonly RenderedObject[]
  /** The objects that it renders before the kinds that it defines itself, except in `crds/`, exist. */
  readonly atFirst: readonly RenderedObject[]
  /**
   * The objects that it renders a second time, if the result may be random; else the same list as `objects`.
   */
  readonly secondRender: readonly RenderedObject[]
  /** Files of the chart that use lookup although there is no cluster, possibly to reuse a random value. */
  readonly lookingUp?: ReadonlySet<string>
  /**
   * The objects that it renders as the next version of the chart with other images; empty if that does not
   * render.
   */
  readonly next: readonly RenderedObject[]
  /** The deployed revision; undefined without a cluster, or if the release is not deployed. */
  readonly deployed?: ComparedRelease | undefined
}

/** The deployed revision, and the objects that an upgrade would render. */
export interface ComparedRelease extends DeployedRelease {
  readonly upgrade: readonly RenderedObject[]
  /**
   * The refusals of changed objects by identity of the object; undefined if the user has no permission for a
   * dry run.
   */
  readonly refusals?: ReadonlyMap<string, string> | undefined
}
