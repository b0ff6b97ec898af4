import {KkError} from '../base/errors.ts'
import type {ReleaseRecord} from '../kubernetes/records/release-record.ts'
import {COMMON, type ReleaseId, releaseId, releaseName, releaseNamespace} from '../release.ts'
import type {DesiredRelease} from './desired.ts'
import {inputsDigest} from './digest.ts'
import {readLabels} from './labels.ts'
import type {Uses} from './uses/uses.ts'

interface Shapes {
  /** The releases of a plan, and whether it may change them. */
  readonly meant: ReadonlyMap<ReleaseId, 'change' | 'use'>
  readonly desired: ReadonlyMap<ReleaseId, DesiredRelease>
  readonly records: readonly ReleaseRecord[]
}

/** Returns the id that the section of a component release would have as one release; undefined for any other release. */
export function sectionOfRecord({
  release,
  labels,
}: Pick<ReleaseRecord, 'release' | 'labels'>): ReleaseId | undefined {
  const section = readLabels(labels)?.section
  return section === undefined ? undefined : releaseId(releaseNamespace(release), section)
}

/** The same of a release of the cluster. */
export function sectionIn({observed}: Pick<Uses, 'observed'>, release: ReleaseId): ReleaseId | undefined {
  const found = observed.get(release)
  return found && sectionOfRecord(found.record)
}

/**
 * Throws `KK_COMPONENTS` where a section is installed as one release and is to be several, or the other way round: helm would find
 * each object to be another release's. Throws `KK_COMMON_FIRST` where a component is to be changed while the configuration and the jobs
 * that it reads and waits for are to change too, and may not: its pods would start with what is there now, and not again afterwards.
 */
export function expectShapes({meant, desired, records}: Shapes): void {
  const installed = records.filter(({status}) => status !== 'uninstalled')
  const sections = Map.groupBy(installed, (record) => sectionOfRecord(record))
  const changed = [...meant].flatMap(([release, role]) =>
    role === 'change' ? (desired.get(release) ?? []) : [],
  )
  for (const {release, part} of changed) {
    const parts = sections.get(release)
    if (!part && parts) throw reshaped(release, parts)
    const whole = part && installed.find((record) => record.release === part.section)
    if (whole) throw reshaped(part.section, [whole])
  }
  const common = [...desired.values()].filter(({part}) => part?.name === COMMON)
  for (const each of common.filter(({release}) => meant.get(release) === 'use')) {
    const record = installed.find(({release}) => release === each.release)
    if (!record || readLabels(record.labels)?.inputs === inputsDigest(each)) continue
    const components = changed.filter(({part}) => part?.section === each.part!.section)
    if (components.length > 0) throw commonFirst(each.release, components)
  }
}

function reshaped(section: ReleaseId, found: readonly ReleaseRecord[]): KkError {
  const name = releaseName(section)
  const names = found.map(({release}) => releaseName(release)).sort()
  const isWhole = found[0]!.release === section
  return new KkError(
    'KK_COMPONENTS',
    isWhole
      ? `${section} is installed as one release, and is to become releases per component: that is chosen when it is first installed`
      : `${section} is installed as releases per component (${names.join(', ')}), and is to become one release: that is chosen when it is first installed`,
    {
      hint: `nothing was changed; ${isWhole ? 'take away' : 'state again'} kk.releases.${name}.components: true; or move by hand: kk remove ${name}, then kk deploy (it is away meanwhile; what it has in databases and volumes stays), or without a gap, as docs/components.md tells`,
    },
  )
}

function commonFirst(common: ReleaseId, components: readonly DesiredRelease[]): KkError {
  const names = components.map(({release}) => releaseName(release))
  return new KkError(
    'KK_COMMON_FIRST',
    `${releaseName(common)} changes, too, which has the configuration and the jobs of ${names.join(', ')}`,
    {hint: `name it as well: ${[releaseName(common), ...names].join(' ')}`},
  )
}
