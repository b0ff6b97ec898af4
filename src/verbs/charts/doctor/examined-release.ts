import type {RenderedObject} from '../../../cluster/manifest.ts'
import type {ReleaseId} from '../../../release.ts'
import type {DeployedRelease} from './place.ts'

/** A release as its chart renders it in several ways. */
export interface ExaminedRelease {
  readonly release: ReleaseId
  /** With the values of the environment. */
  readonly objects: readonly RenderedObject[]
  /** The same where the kinds that it defines itself, but those in `crds/`, are not known yet. */
  readonly atFirst: readonly RenderedObject[]
  /** What `objects` are once more, of what may be random; the same list where nothing is. */
  readonly again: readonly RenderedObject[]
  /** Files of the chart that look up what is on the cluster, which was not asked: perhaps to keep what they made up. */
  readonly lookingUp?: ReadonlySet<string>
  /** As the next version of the chart, with other images; empty where that does not render. */
  readonly next: readonly RenderedObject[]
  /** Left out where no cluster was asked, or has none. */
  readonly deployed?: ComparedRelease | undefined
}

/** What is deployed, and what an upgrade would make of it. */
export interface ComparedRelease extends DeployedRelease {
  readonly upgrade: readonly RenderedObject[]
  /** What the cluster says to changed objects that it would refuse, by what they are there; undefined where it was not asked. */
  readonly refusals?: ReadonlyMap<string, string> | undefined
}
