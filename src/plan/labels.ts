import {hash} from 'node:crypto'
import {type EdgeKind, type ReleaseId, releaseName} from '../release.ts'
import type {DesiredRelease, StoreStamp} from './desired.ts'
import {FLAGS_DIGEST, inputsDigest} from './digest.ts'

/** The names of the labels that kk writes on release records. */
export const OWNER_LABEL = 'kk.openstack.org/owner'
export const INPUTS_LABEL = 'kk.openstack.org/inputs'
/** The revision to which the other labels belong: helm copies labels to revisions that kk did not make. */
export const REVISION_LABEL = 'kk.openstack.org/revision'
/** The revision whose gate passed. */
export const GATED_LABEL = 'kk.openstack.org/gated'
/** The revision whose gate passed, while its dependents still have to pass theirs again. */
export const UNCHECKED_LABEL = 'kk.openstack.org/dependents-unchecked'
/** The revision some of whose pods are still to be replaced node by node, because their nodes were away. */
export const LEFT_BEHIND_LABEL = 'kk.openstack.org/left-behind'
/** The installation of the revision; see `installationOf`. */
export const INSTALLATION_LABEL = 'kk.openstack.org/installation'
/** The run that made the revision. */
export const RUN_LABEL = 'kk.openstack.org/run'
/** Whether the environment states the release in a section; otherwise it was only added as a requirement. */
const STATED_LABEL = 'kk.openstack.org/stated'
const PROTECTED_LABEL = 'kk.openstack.org/protected'
/** The override store that was in use, and the number of its changes at that time. */
const STORE_LABEL = 'kk.openstack.org/store'
const STORE_STATE_LABEL = 'kk.openstack.org/store-state'
/** The tool to which the release was handed over: only that tool changes it, until kk adopts it back. */
export const EXPORTED_LABEL = 'kk.openstack.org/exported-to'
const CHART_LABEL = 'kk.openstack.org/chart'
/** The section of an environment, if the release is one of several of that section. */
const SECTION_LABEL = 'kk.openstack.org/section'
const LAYER_PREFIX = 'layer.kk.openstack.org/'
const USES_PREFIX = 'uses.kk.openstack.org/'

/** The content of the labels of a release record. */
export interface KkLabels {
  readonly owner: string
  /** The inputs digest; undefined if the release was adopted and had been deployed with other inputs. */
  readonly inputs: string | undefined
  readonly revision: number | undefined
  readonly gated: number | undefined
  /** The revision whose dependents have not all passed their gates again; undefined if they have. */
  readonly unchecked: number | undefined
  /** As `installationOf`; undefined if an older kk wrote the record. */
  readonly installation: string | undefined
  /** The run that made `revision`; undefined if kk did not make it, or an older kk did. */
  readonly run: string | undefined
  /**
   * Whether the environment states the release; undefined, like `protected`, in the record of an older kk.
   */
  readonly stated: boolean | undefined
  readonly protected: boolean | undefined
  /** The section that the release is a part of; undefined if the section is one release. */
  readonly section: string | undefined
  /** The override store; undefined if none was in use. */
  readonly store: StoreStamp | undefined
  /** The tool to which the release was handed over, such as `flux`; undefined while kk manages it. */
  readonly exportedTo: string | undefined
  /** The chart with its version for messages, such as `keystone-0.1.0`. */
  readonly chart: string | undefined
  /** The digests of the layers, and of `chart` and `flags`, 12 hex digits each. */
  readonly layers: ReadonlyMap<string, string>
  /** The requirements, keyed by `usesLabel` of the required release. */
  readonly uses: ReadonlyMap<string, EdgeKind>
}

/** Returns the label of a requirement; it contains a hash because a name has at most 63 characters. */
export function usesLabel(required: ReleaseId): string {
  return USES_PREFIX + hash('sha256', required).slice(0, 40)
}

/** Returns all labels of a revision except those of its gate and of the run that made it. */
export function labelsOf(desired: DesiredRelease, revision: number): Readonly<Record<string, string>> {
  return {
    [OWNER_LABEL]: desired.owner,
    [INPUTS_LABEL]: inputsDigest(desired),
    [REVISION_LABEL]: String(revision),
    [STATED_LABEL]: String(desired.stated),
    [PROTECTED_LABEL]: String(desired.protected),
    [CHART_LABEL]: chartLabel(desired.chart),
    ...sectionLabel(desired),
    ...storeLabels(desired),
    ...prefixed(LAYER_PREFIX, layersOf(desired)),
    ...usesLabels(desired),
  }
}

/** Returns the labels of an adopted release: without digests, so that the next plan upgrades it. */
export function adoptionLabels(desired: DesiredRelease, revision: number): Readonly<Record<string, string>> {
  return {
    [OWNER_LABEL]: desired.owner,
    [REVISION_LABEL]: String(revision),
    [STATED_LABEL]: String(desired.stated),
    [PROTECTED_LABEL]: String(desired.protected),
    ...sectionLabel(desired),
    ...usesLabels(desired),
  }
}

function sectionLabel({part}: DesiredRelease): Readonly<Record<string, string>> {
  return part ? {[SECTION_LABEL]: releaseName(part.section)} : {}
}

/**
 * Returns the digests by which a plan detects what changed: 12 hex digits of the chart, the flags and each
 * layer.
 */
export function layersOf(desired: DesiredRelease): ReadonlyMap<string, string> {
  const digests = [
    ['chart', desired.chart.digest],
    ['flags', FLAGS_DIGEST],
    ...desired.layers.map((layer) => [layer.name, layer.digest] as const),
  ] as const
  return new Map(digests.map(([name, digest]) => [name, digest.slice(0, 12)]))
}

/** Returns the requirements as labels. */
export function usesLabels(
  desired: Pick<DesiredRelease, 'requirements'>,
): Readonly<Record<string, EdgeKind>> {
  return Object.fromEntries(desired.requirements.map(({to, kind}) => [usesLabel(to), kind]))
}

/**
 * Returns the labels to pass to helm so that exactly these of kk's labels remain: helm keeps the labels of
 * the previous revision unless they are set to null. Labels of other tools are unchanged.
 */
export function labelChanges(
  next: Readonly<Record<string, string>>,
  previous: Readonly<Record<string, string>>,
): Readonly<Record<string, string | null>> {
  const isKkLabel = (name: string) =>
    name === GATED_LABEL ||
    name === UNCHECKED_LABEL ||
    name === LEFT_BEHIND_LABEL ||
    name === RUN_LABEL ||
    name === SECTION_LABEL ||
    name === STORE_LABEL ||
    name === STORE_STATE_LABEL ||
    name === EXPORTED_LABEL ||
    name.startsWith(LAYER_PREFIX) ||
    name.startsWith(USES_PREFIX)
  const removed = Object.keys(previous).filter((name) => isKkLabel(name) && !(name in next))
  return {...next, ...Object.fromEntries(removed.map((name) => [name, null]))}
}

/**
 * Whether the gate of a revision has passed; `unknown` if kk awaits none, because another tool makes the
 * revisions.
 */
export type Gate = 'passed' | 'not-passed' | 'unknown'

/** The part of a record that shows the state of its gate. */
interface Gated {
  readonly revision: number
  readonly labels: Readonly<Record<string, string>>
}

/**
 * Returns the state of a revision's gate. Helm copies labels: a mark counts only on the revision that it
 * names.
 */
export function gateOf({labels, revision}: Gated): Gate {
  const written = readLabels(labels)
  if (written?.gated === revision) return 'passed'
  return written === undefined || written.exportedTo !== undefined ? 'unknown' : 'not-passed'
}

/** Whether nodes were left behind when the pods of this revision were replaced node by node. */
export function isLeftBehind({labels, revision}: Gated): boolean {
  return revisionIn(labels[LEFT_BEHIND_LABEL]) === revision
}

export function hasPassed(record: Gated): boolean {
  return gateOf(record) === 'passed'
}

/** Returns the data that kk wrote on a record; undefined if kk did not install the release. */
export function readLabels(labels: Readonly<Record<string, string>>): KkLabels | undefined {
  const owner = labels[OWNER_LABEL]
  if (owner === undefined) return undefined
  const entries = Object.entries(labels)
  return {
    owner,
    inputs: labels[INPUTS_LABEL],
    revision: revisionIn(labels[REVISION_LABEL]),
    gated: revisionIn(labels[GATED_LABEL]),
    unchecked: revisionIn(labels[UNCHECKED_LABEL]),
    installation: labels[INSTALLATION_LABEL],
    run: labels[RUN_LABEL],
    stated: booleanIn(labels[STATED_LABEL]),
    protected: booleanIn(labels[PROTECTED_LABEL]),
    section: labels[SECTION_LABEL],
    store: storeIn(labels),
    exportedTo: labels[EXPORTED_LABEL],
    chart: labels[CHART_LABEL],
    layers: new Map(
      entries
        .filter(([name]) => name.startsWith(LAYER_PREFIX))
        .map(([name, digest]) => [name.slice(LAYER_PREFIX.length), digest]),
    ),
    uses: new Map(
      entries
        .filter(([name]) => name.startsWith(USES_PREFIX))
        .map(([name, kind]) => [name, kind === 'applied' ? 'applied' : 'ready']),
    ),
  }
}

function revisionIn(label: string | undefined): number | undefined {
  return label !== undefined && /^\d+$/.test(label) ? Number(label) : undefined
}

function storeLabels({store}: DesiredRelease): Readonly<Record<string, string>> {
  return store ? {[STORE_LABEL]: store.id, [STORE_STATE_LABEL]: String(store.state)} : {}
}

function storeIn(labels: Readonly<Record<string, string>>): StoreStamp | undefined {
  const id = labels[STORE_LABEL]
  return id === undefined ? undefined : {id, state: revisionIn(labels[STORE_STATE_LABEL]) ?? 0}
}

function booleanIn(label: string | undefined): boolean | undefined {
  return label === 'true' || label === 'false' ? label === 'true' : undefined
}

function prefixed(prefix: string, entries: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...entries].map(([name, value]) => [prefix + name, value]))
}

/**
 * Returns the chart in the form of Helm's label `helm.sh/chart`: without a plus sign, and at most 63
 * characters.
 */
export function chartLabel({name, version}: Pick<DesiredRelease['chart'], 'name' | 'version'>): string {
  return `${name}-${version}`
    .replaceAll('+', '_')
    .slice(0, 63)
    .replace(/[^A-Za-z0-9]+$/, '')
}

/** Returns the environments that own any of these records. */
export function ownersOf(
  records: readonly {readonly labels: Readonly<Record<string, string>>}[],
): ReadonlySet<string> {
  return new Set(records.flatMap(({labels}) => readLabels(labels)?.owner ?? []))
}
