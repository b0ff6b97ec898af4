import type {Values} from '../../src/base/values.ts'
import type {ReleaseRecord} from '../../src/kubernetes/records/release-record.ts'
import type {LayerName} from '../../src/overrides/layer.ts'
import type {DesiredRelease} from '../../src/plan/desired.ts'
import {digest, layerDigests} from '../../src/plan/digest.ts'
import {GATED_LABEL, labelsOf} from '../../src/plan/labels.ts'
import {releaseName} from '../../src/release.ts'
import {id} from '../graph/graph-of.ts'

export interface Wanted {
  readonly requires?: readonly string[]
  readonly version?: string
  readonly chartDigest?: string
  readonly layers?: Partial<Record<LayerName, Values>>
  readonly owner?: string
  readonly stated?: boolean
  readonly protected?: boolean
  /** The section, if the release is one of several of it. */
  readonly section?: string
}

/** A release that the environment `all-in-one` wants. */
export function desiredOf(name: string, wanted: Wanted = {}): DesiredRelease {
  const layers = Object.entries(wanted.layers ?? {}) as [LayerName, Values][]
  const version = wanted.version ?? '0.1.0'
  return {
    release: id(name),
    chart: {name, version, appVersion: '2025.1', digest: digest(wanted.chartDigest ?? version)},
    layers: layerDigests(layers.map(([layer, values]) => ({name: layer, source: layer, values}))),
    requirements: (wanted.requires ?? []).map((text) => {
      const [to = '', kind] = text.split(':')
      return {to: id(to), kind: kind === 'applied' ? 'applied' : 'ready'}
    }),
    owner: wanted.owner ?? 'all-in-one',
    ...(wanted.section !== undefined && {part: {section: id(wanted.section), name}}),
    stated: wanted.stated ?? true,
    protected: wanted.protected ?? false,
  }
}

export interface Recorded {
  readonly revision?: number
  readonly status?: string
  /** The revision that kk last wrote. */
  readonly written?: number
  readonly gated?: number | undefined
}

/** The record that kk left on the cluster; by default of revision 2, deployed, its gate passed. */
export function recordOf(desired: DesiredRelease, recorded: Recorded = {}): ReleaseRecord {
  const revision = recorded.revision ?? 2
  const gated = 'gated' in recorded ? recorded.gated : revision
  return {
    ...bareRecord(desired.release, revision),
    status: recorded.status ?? 'deployed',
    labels: {
      ...labelsOf(desired, recorded.written ?? revision),
      ...(gated === undefined ? {} : {[GATED_LABEL]: String(gated)}),
    },
  }
}

/** The record of a release that plain helm installed. */
export function bareRecord(release: ReleaseRecord['release'], revision = 1): ReleaseRecord {
  return {
    release,
    revision,
    status: 'deployed',
    labels: {},
    secret: {
      name: `sh.helm.release.v1.${releaseName(release)}.v${revision}`,
      uid: `uid-${releaseName(release)}`,
      resourceVersion: '1',
    },
  }
}
