import {LAYERS, type LayerName} from '../../overrides/layer.ts'
import {releaseName} from '../../release.ts'
import type {DesiredRelease} from '../desired.ts'
import {chartLabel, type KkLabels, layersOf, usesLabel, usesLabels} from '../labels.ts'
import type {ObservedRecord} from '../pending/evidence.ts'

/** The reason if the chart changed, but not its version, as far as labels show. */
export const CHART_FILES_CHANGED = 'chart files changed'

/** The reasons if the last deploy had a flag that this one does not have. */
export const DROPPED_FLAG_REASONS = {
  values: 'the --values of the last deploy are no longer given',
  set: 'the --set of the last deploy is no longer given',
} as const satisfies Partial<Record<LayerName, string>>

/**
 * Returns why helm must run on an installed release, by the labels of the last revision; empty if it need
 * not.
 */
export function upgradeReasons(
  desired: DesiredRelease,
  record: ObservedRecord,
  labels: KkLabels,
  file: string,
): readonly string[] {
  if (labels.inputs === undefined)
    return [...stateReasons(record, labels), 'adopted, deployed with other inputs']
  const wanted = layersOf(desired)
  const differs = (name: string) => wanted.get(name) !== labels.layers.get(name)
  return [
    ...stateReasons(record, labels),
    ...(differs('chart') ? [chartReason(desired, labels)] : []),
    ...(differs('flags') ? ['flags that change rendering changed'] : []),
    ...LAYERS.filter(differs).map((layer) =>
      wanted.has(layer) || !(layer in DROPPED_FLAG_REASONS)
        ? layerReason(layer, releaseName(desired.release), file)
        : DROPPED_FLAG_REASONS[layer as keyof typeof DROPPED_FLAG_REASONS],
    ),
  ]
}

/**
 * Returns how the requirements differ from the labels' hashes, so that dropped ones are only counted;
 * undefined if equal.
 */
export function requirementsReason(desired: DesiredRelease, labels: KkLabels): string | undefined {
  const added = desired.requirements
    .filter(({to, kind}) => labels.uses.get(usesLabel(to)) !== kind)
    .map(({to, kind}) => `now requires ${releaseName(to)}${kind === 'applied' ? ' applied' : ''}`)
    .sort()
  const wanted = usesLabels(desired)
  const gone = [...labels.uses.keys()].filter((name) => !(name in wanted)).length
  const dropped = gone === 0 ? [] : [`${gone} ${gone === 1 ? 'requirement' : 'requirements'} dropped`]
  const changes = [...added, ...dropped]
  return changes.length === 0 ? undefined : changes.join(', ')
}

/** Returns how a release differs from its labels: stated, protected, or the store of its overrides. */
export function labelReasons(desired: DesiredRelease, labels: KkLabels): readonly string[] {
  const differs = (recorded: boolean | undefined, wanted: boolean) =>
    recorded !== undefined && recorded !== wanted
  const statedText = desired.stated
    ? 'now stated in a section'
    : 'no longer stated in a section, only required'
  const isProtected = desired.protected ? 'now protected' : 'no longer protected'
  return [
    ...(differs(labels.stated, desired.stated) ? [statedText] : []),
    ...(differs(labels.protected, desired.protected) ? [isProtected] : []),
    ...(isFromOtherStore(desired, labels) ? ['its record names another override store than this one'] : []),
  ]
}

/**
 * Returns true if the record must name this override store and does not; equal overrides alone need no
 * upgrade.
 */
function isFromOtherStore({store, layers}: DesiredRelease, labels: KkLabels): boolean {
  if (!store || !layers.some(({name}) => name === 'user')) return false
  return labels.store?.id !== store.id || labels.store.state > store.state
}

function stateReasons(record: ObservedRecord, labels: KkLabels): readonly string[] {
  if (record.copiedBy !== undefined)
    return [`revision ${record.revision} is of a rollback of run ${record.copiedBy}, which was killed`]
  if (labels.revision !== record.revision) {
    const last = labels.revision === undefined ? '' : `, kk last wrote ${labels.revision}`
    return [`changed outside kk (revision ${record.revision}${last})`]
  }
  if (record.status === 'deployed') return []
  return [record.status === 'failed' ? 'last revision failed' : `last revision is ${record.status}`]
}

function chartReason({chart}: DesiredRelease, labels: KkLabels): string {
  if (labels.chart === undefined || labels.chart === chartLabel(chart)) return CHART_FILES_CHANGED
  const prefix = `${chart.name}-`
  return labels.chart.startsWith(prefix)
    ? `chart version ${labels.chart.slice(prefix.length)} → ${chart.version}`
    : `chart ${labels.chart} → ${chartLabel(chart)}`
}

/** Returns the reason of a changed layer, such as `section keystone of env.yaml changed`. */
export function layerReason(layer: LayerName, name: string, path: string): string {
  const file = path === '-' ? 'standard input' : path.slice(path.lastIndexOf('/') + 1)
  const reasons: Record<LayerName, string> = {
    features: 'feature files changed',
    system: 'system overrides changed',
    global: `global of ${file} changed`,
    section: `section ${name} of ${file} changed`,
    user: 'user overrides changed',
    values: '--values changed',
    set: '--set changed',
  }
  return reasons[layer]
}
