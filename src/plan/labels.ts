import {hash} from 'node:crypto'
import type {EdgeKind, ReleaseId} from '../release.ts'
import type {DesiredRelease, StoreStamp} from './desired.ts'
import {FLAGS_DIGEST, inputsDigest} from './digest.ts'

/** Names of the labels that kk writes on release records. */
export const OWNER_LABEL = 'kk.openstack.org/owner'
export const INPUTS_LABEL = 'kk.openstack.org/inputs'
/** The revision that the other labels belong to: helm hands labels down to revisions that kk did not make. */
export const REVISION_LABEL = 'kk.openstack.org/revision'
/** The revision whose gate passed. */
export const GATED_LABEL = 'kk.openstack.org/gated'
/** The revision whose gate passed, while those that require the release are still to pass theirs again. */
export const UNCHECKED_LABEL = 'kk.openstack.org/dependents-unchecked'
/** Whether the environment states the release in a section, or it was only added as a requirement. */
const STATED_LABEL = 'kk.openstack.org/stated'
const PROTECTED_LABEL = 'kk.openstack.org/protected'
/** The store of the deployer's overrides that was in use, and how many changes it had seen. */
const STORE_LABEL = 'kk.openstack.org/store'
const STORE_STATE_LABEL = 'kk.openstack.org/store-state'
const CHART_LABEL = 'kk.openstack.org/chart'
const LAYER_PREFIX = 'layer.kk.openstack.org/'
const USES_PREFIX = 'uses.kk.openstack.org/'

/** What the labels of a release record say. */
export interface KkLabels {
  readonly owner: string
  /** Undefined when the release was adopted, and deployed with other inputs. */
  readonly inputs: string | undefined
  readonly revision: number | undefined
  readonly gated: number | undefined
  /** The revision after which dependents were to pass their gates again, and are not known to have; undefined when they have. */
  readonly unchecked: number | undefined
  /** Undefined where an older kk wrote the record; so for `protected`. */
  readonly stated: boolean | undefined
  readonly protected: boolean | undefined
  /** Undefined where no store was in use. */
  readonly store: StoreStamp | undefined
  /** `keystone-0.1.0`, for people. */
  readonly chart: string | undefined
  /** 12 hex each: of the layers, and of `chart` and `flags`. */
  readonly layers: ReadonlyMap<string, string>
  /** By the name that `usesLabel` makes of the required release. */
  readonly uses: ReadonlyMap<string, EdgeKind>
}

/** The label that says "this release requires that one"; a name has at most 63 characters, hence the hash. */
export function usesLabel(required: ReleaseId): string {
  return USES_PREFIX + hash('sha256', required).slice(0, 40)
}

/** All labels of a revision, but the mark of its gate. */
export function labelsOf(desired: DesiredRelease, revision: number): Readonly<Record<string, string>> {
  return {
    [OWNER_LABEL]: desired.owner,
    [INPUTS_LABEL]: inputsDigest(desired),
    [REVISION_LABEL]: String(revision),
    [STATED_LABEL]: String(desired.stated),
    [PROTECTED_LABEL]: String(desired.protected),
    [CHART_LABEL]: chartLabel(desired.chart),
    ...storeLabels(desired),
    ...prefixed(LAYER_PREFIX, layersOf(desired)),
    ...usesOf(desired),
  }
}

/**
 * Of a release that is taken over, and was deployed with other inputs: what is true of it. Without digests the next plan
 * upgrades it.
 */
export function adoptionLabels(desired: DesiredRelease, revision: number): Readonly<Record<string, string>> {
  return {
    [OWNER_LABEL]: desired.owner,
    [REVISION_LABEL]: String(revision),
    [STATED_LABEL]: String(desired.stated),
    [PROTECTED_LABEL]: String(desired.protected),
    ...usesOf(desired),
  }
}

/** The digests by which a plan tells what changed: 12 hex of the chart, the flags and each layer. */
export function layersOf(desired: DesiredRelease): ReadonlyMap<string, string> {
  const digests = [
    ['chart', desired.chart.digest],
    ['flags', FLAGS_DIGEST],
    ...desired.layers.map((layer) => [layer.name, layer.digest] as const),
  ] as const
  return new Map(digests.map(([name, digest]) => [name, digest.slice(0, 12)]))
}

/** The requirements as labels. */
export function usesOf(desired: Pick<DesiredRelease, 'requirements'>): Readonly<Record<string, EdgeKind>> {
  return Object.fromEntries(desired.requirements.map(({to, kind}) => [usesLabel(to), kind]))
}

/**
 * What to tell helm so that exactly these of kk's labels remain: helm keeps the labels of the revision before unless
 * they are set to null. Labels of others are left alone.
 */
export function labelChanges(
  next: Readonly<Record<string, string>>,
  previous: Readonly<Record<string, string>>,
): Readonly<Record<string, string | null>> {
  const ours = (name: string) =>
    name === GATED_LABEL ||
    name === UNCHECKED_LABEL ||
    name === STORE_LABEL ||
    name === STORE_STATE_LABEL ||
    name.startsWith(LAYER_PREFIX) ||
    name.startsWith(USES_PREFIX)
  const gone = Object.keys(previous).filter((name) => ours(name) && !(name in next))
  return {...next, ...Object.fromEntries(gone.map((name) => [name, null]))}
}

/** What kk wrote on a record; undefined when kk did not install the release. */
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
    stated: booleanIn(labels[STATED_LABEL]),
    protected: booleanIn(labels[PROTECTED_LABEL]),
    store: storeIn(labels),
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

/** As Helm's own `helm.sh/chart`: a label's value holds no plus sign and at most 63 characters. */
export function chartLabel({name, version}: Pick<DesiredRelease['chart'], 'name' | 'version'>): string {
  return `${name}-${version}`
    .replaceAll('+', '_')
    .slice(0, 63)
    .replace(/[^A-Za-z0-9]+$/, '')
}

/** The environments that own any of these. */
export function ownersOf(
  records: readonly {readonly labels: Readonly<Record<string, string>>}[],
): ReadonlySet<string> {
  return new Set(records.flatMap(({labels}) => readLabels(labels)?.owner ?? []))
}
