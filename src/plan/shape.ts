import {KkError} from '../base/errors.ts'
import type {ReleaseRecord} from '../kubernetes/records/release-record.ts'
import {COMMON, type ReleaseId, releaseId, releaseName, releaseNamespace} from '../release.ts'
import type {DesiredRelease} from './desired.ts'
import {inputsDigest} from './digest.ts'
import {readLabels} from './labels.ts'
import type {Uses} from './uses/uses.ts'

interface Shapes {
  /** The releases of a plan, and whether it may change them. */
  readonly selected: ReadonlyMap<ReleaseId, 'change' | 'use'>
  readonly desired: ReadonlyMap<ReleaseId, DesiredRelease>
  readonly records: readonly ReleaseRecord[]
}

/**
 * Returns the id that the section of a component release would have as one release; undefined for any other
 * release.
 */
export function sectionOfRecord({
  release,
  labels,
}: Pick<ReleaseRecord, 'release' | 'labels'>): ReleaseId | undefined {
  const section = readLabels(labels)?.section
  return section === undefined ? undefined : releaseId(releaseNamespace(release), section)
}

/** As `sectionOfRecord`, for a release of the cluster. */
export function sectionIn({observed}: Pick<Uses, 'observed'>, release: ReleaseId): ReleaseId | undefined {
  const observedRelease = observed.get(release)
  return observedRelease && sectionOfRecord(observedRelease.record)
}

/**
 * Throws `KK_COMPONENTS` if a section is installed as one release but should be several, or the reverse: helm
 * would treat each object as another release's. Throws `KK_COMMON_FIRST` if a component would change while
 * the common part with the configuration and jobs that it depends on also changes, but is not in the scope:
 * the component's pods would start with the present configuration, and not restart afterwards.
 */
export function expectShapes({selected, desired, records}: Shapes): void {
  const installed = records.filter(({status}) => status !== 'uninstalled')
  const sections = Map.groupBy(installed, (record) => sectionOfRecord(record))
  const changed = [...selected].flatMap(([release, role]) =>
    role === 'change' ? (desired.get(release) ?? []) : [],
  )
  for (const {release, part} of changed) {
    const parts = sections.get(release)
    if (!part && parts) throw reshaped(release, parts)
    const sectionRecord = part && installed.find((record) => record.release === part.section)
    if (sectionRecord) throw reshaped(part.section, [sectionRecord])
  }
  const common = [...desired.values()].filter(({part}) => part?.name === COMMON)
  for (const each of common.filter(({release}) => selected.get(release) === 'use')) {
    const record = installed.find(({release}) => release === each.release)
    if (!record || readLabels(record.labels)?.inputs === inputsDigest(each)) continue
    const components = changed.filter(({part}) => part?.section === each.part!.section)
    if (components.length > 0) throw commonFirst(each.release, components)
  }
}

function reshaped(section: ReleaseId, installed: readonly ReleaseRecord[]): KkError {
  const name = releaseName(section)
  const names = installed.map(({release}) => releaseName(release)).sort()
  const isSingleRelease = installed[0]!.release === section
  return new KkError(
    'KK_COMPONENTS',
    isSingleRelease
      ? `${section} is installed as one release, and should become releases per component: that is decided at the first installation`
      : `${section} is installed as releases per component (${names.join(', ')}), and should become one release: that is decided at the first installation`,
    {
      hint: `nothing was changed; ${isSingleRelease ? 'remove' : 'restore'} kk.releases.${name}.components: true; or move by hand: kk remove ${name}, then kk deploy (it is unavailable in the meantime; its data in databases and volumes stays), or without a gap: see kk docs components`,
    },
  )
}

function commonFirst(common: ReleaseId, components: readonly DesiredRelease[]): KkError {
  const names = components.map(({release}) => releaseName(release))
  return new KkError(
    'KK_COMMON_FIRST',
    `${releaseName(common)} changes, too, and has the configuration and the jobs of ${names.join(', ')}`,
    {hint: `name it as well: ${[releaseName(common), ...names].join(' ')}`},
  )
}
