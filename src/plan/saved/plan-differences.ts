import {LAYERS} from '../../overrides/layer.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import {layerReason} from '../decision/reasons.ts'
import type {SavedPlan, SavedRecord, SavedRelease} from './saved-plan.ts'

/**
 * Returns the differences between the saved plan and the present, a line each; names of the same cluster do
 * not count.
 */
export function planDifferences(saved: SavedPlan, now: SavedPlan): readonly string[] {
  const isSameCluster = saved.cluster.uid === now.cluster.uid
  const currentByRelease = new Map(now.releases.map((release) => [release.release, release]))
  const savedReleases = new Set(saved.releases.map(({release}) => release))
  return [
    ...kkDifferences(saved, now),
    ...clusterDifferences(saved, now),
    ...(saved.environment.name === now.environment.name
      ? []
      : [`the environment is "${now.environment.name}", the plan is of "${saved.environment.name}"`]),
    ...saved.releases.flatMap((then) => {
      const name = releaseName(then.release)
      const current = currentByRelease.get(then.release)
      if (!current) return [`${name}: no longer part of the plan`]
      return releaseDifferences(then, current, {file: now.environment.file, isSameCluster}).map(
        (what) => `${name}: ${what}`,
      )
    }),
    ...now.releases
      .filter(({release}) => !savedReleases.has(release))
      .map(({release, kind}) => `${releaseName(release)}: not part of the saved plan, now ${TO_BE[kind]}`),
    ...orderDifferences(saved, now),
  ]
}

function kkDifferences(saved: SavedPlan, now: SavedPlan): readonly string[] {
  if (saved.kk !== now.kk) return [`kk is ${now.kk}, the plan was saved by kk ${saved.kk}`]
  if (saved.schema === now.schema) return []
  return [
    `kk digests inputs in another way than the one that saved the plan (${saved.schema}, now ${now.schema})`,
  ]
}

function clusterDifferences({cluster: then}: SavedPlan, {cluster: now}: SavedPlan): readonly string[] {
  const text = ({context, server, uid}: SavedPlan['cluster']) =>
    `${context} (${server}, kube-system has the UID ${uid})`
  if (then.uid !== now.uid) return [`this is the cluster ${text(now)}, the plan is for ${text(then)}`]
  if (then.version === now.version) return []
  return [`the cluster runs Kubernetes ${now.version}, then ${then.version}`]
}

interface Surroundings {
  readonly file: string
  /** Whether both plans are for one cluster: records of different clusters cannot be compared. */
  readonly isSameCluster: boolean
}

function releaseDifferences(
  then: SavedRelease,
  now: SavedRelease,
  {file, isSameCluster}: Surroundings,
): readonly string[] {
  const causes = [
    ...chartDifferences(then, now),
    ...layerDifferences(then, now, file),
    ...requirementDifferences(then, now),
    ...settingDifferences(then, now),
    ...(isSameCluster ? recordDifferences(then.record, now.record) : []),
  ]
  if (causes.length > 0) return causes
  if (then.inputs !== now.inputs) return ['its inputs changed']
  if (then.kind === now.kind || !isSameCluster) return []
  return [`was ${TO_BE[then.kind]}, is now ${TO_BE[now.kind]}`]
}

function chartDifferences(then: SavedRelease, now: SavedRelease): readonly string[] {
  const text = ({chart}: SavedRelease) => `${chart.name} ${chart.version}`
  // The chart of a release that is only used comes from its record, which is compared separately.
  if (then.layers.chart === now.layers.chart) return []
  if (text(then) !== text(now)) return [`chart ${text(then)} → ${text(now)}`]
  return ['chart files changed']
}

function layerDifferences(then: SavedRelease, now: SavedRelease, file: string): readonly string[] {
  const flags = then.layers.flags === now.layers.flags ? [] : ['flags that change rendering changed']
  const layers = LAYERS.filter((layer) => then.layers[layer] !== now.layers[layer]).map((layer) => {
    if (layer === 'set' && now.layers.set === undefined)
      return 'the plan was saved with --set for it, which must be given again: a saved plan holds no values'
    if (layer === 'set' && then.layers.set === undefined) return 'the plan was saved without --set for it'
    return layerReason(layer, releaseName(now.release), file)
  })
  return [...flags, ...layers]
}

function requirementDifferences(
  {requires: then}: SavedRelease,
  {requires: now}: SavedRelease,
): readonly string[] {
  const text = (edge: string) => edge.slice(edge.indexOf('/') + 1).replace(/:ready$/, '')
  return [
    ...now.filter((edge) => !then.includes(edge)).map((edge) => `now requires ${text(edge)}`),
    ...then.filter((edge) => !now.includes(edge)).map((edge) => `no longer requires ${text(edge)}`),
  ]
}

function settingDifferences(then: SavedRelease, now: SavedRelease): readonly string[] {
  const statedText = now.stated ? 'now stated in a section' : 'no longer stated in a section'
  const isProtected = now.protected ? 'now protected' : 'no longer protected'
  return [
    ...(then.stated === now.stated ? [] : [statedText]),
    ...(then.protected === now.protected ? [] : [isProtected]),
  ]
}

function recordDifferences(then: SavedRecord | null, now: SavedRecord | null): readonly string[] {
  const text = ({revision, status}: SavedRecord) => `revision ${revision} (${status})`
  if (then === null) return now === null ? [] : [`was not installed, is now at ${text(now)}`]
  if (now === null) return [`was at ${text(then)}, is no longer installed`]
  if (then.revision !== now.revision) return [`was at ${text(then)}, is now at ${text(now)}`]
  if (then.uid !== now.uid)
    return [`revision ${now.revision} is another record (UID ${then.uid}, now ${now.uid})`]
  if (then.status !== now.status) return [`revision ${now.revision} was ${then.status}, is now ${now.status}`]
  if (then.resourceVersion === now.resourceVersion) return []
  return [
    `the record of revision ${now.revision} was written (resource version ${then.resourceVersion}, now ${now.resourceVersion}), e.g. its labels by kk`,
  ]
}

/** Returns the change of the order of equal releases. Added and missing releases are reported before. */
function orderDifferences(saved: SavedPlan, now: SavedPlan): readonly string[] {
  const [then, current] = [saved, now].map(({releases}) => releases.map(({release}) => release))
  const isSame = (one: readonly ReleaseId[], other: readonly ReleaseId[]) => one.join() === other.join()
  if (isSame(then!, current!) || !isSame(then!.toSorted(), current!.toSorted())) return []
  const names = (releases: readonly ReleaseId[]) => releases.map(releaseName).join(', ')
  return [`the order was ${names(then!)}; it is now ${names(current!)}`]
}

const TO_BE = {
  install: 'to be installed',
  upgrade: 'to be upgraded',
  rollback: 'to be rolled back',
  remove: 'to be removed',
  await: 'to be awaited',
  relabel: 'to be relabelled',
  adopt: 'to be adopted',
  'hand-over': 'to be handed over',
  prune: 'to be pruned',
  check: 'to be checked',
  test: 'to be tested',
  unchanged: 'unchanged',
} as const satisfies Record<SavedRelease['kind'], string>
