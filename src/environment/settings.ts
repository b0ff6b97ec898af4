import {resolve} from 'node:path'
import type {ReadinessRules} from '../cluster/gate/readiness/rules.ts'
import type {Position, Values} from '../release.ts'
import {seconds} from './duration.ts'
import type {ChartSource, ReleaseSettings, StatedRequirement} from './environment.ts'
import {parseRequirement} from './requirement.ts'

type Path = readonly (string | number)[]
type Locate = (path: Path) => Position | undefined

/** The `kk` section after it passed the schema; what it leaves out has its default. */
export interface Settings {
  readonly name: string | undefined
  readonly namespace: string
  readonly context: string | undefined
  readonly charts: readonly ChartSource[]
  readonly features: readonly string[]
  readonly infer: boolean
  readonly secrets: boolean
  readonly given: readonly string[]
  readonly readiness: ReadinessRules
  readonly releases: ReadonlyMap<string, ReleaseSettings>
}

interface SettingsOptions {
  /** Relative paths start here. */
  readonly directory: string
  readonly position: Locate
}

/** Reads a `kk` section that follows the schema. */
export function readSettings(kk: Values, {directory, position}: SettingsOptions): Settings {
  const releases = Object.entries((kk.releases ?? {}) as Record<string, Values | null>)
  return {
    name: kk.name as string | undefined,
    namespace: (kk.namespace as string | undefined) ?? 'openstack',
    context: kk.context as string | undefined,
    charts: ((kk.charts as StatedSource[] | undefined) ?? ['built-in']).map((each) =>
      chartSource(each, directory),
    ),
    features: (kk.features as string[] | undefined) ?? [],
    infer: (kk.infer as boolean | undefined) ?? true,
    secrets: (kk.secrets as boolean | undefined) ?? true,
    given: (kk.given as string[] | undefined) ?? [],
    readiness: readinessRules((kk.readiness ?? {}) as Readonly<Record<string, StatedRule>>),
    releases: new Map(
      releases.map(([name, stated]) => [name, releaseSettings(name, stated ?? {}, position)]),
    ),
  }
}

interface StatedRule {
  readonly path: string
  readonly value: string | readonly string[]
}

function readinessRules(stated: Readonly<Record<string, StatedRule>>): ReadinessRules {
  return new Map(
    Object.entries(stated).map(([kind, {path, value}]) => [kind, {path, values: [value].flat()}]),
  )
}

type StatedSource =
  | string
  | {readonly repository?: string; readonly oci?: string; readonly version?: string; readonly digest?: string}

function chartSource(stated: StatedSource, directory: string): ChartSource {
  if (stated === 'built-in') return {kind: 'built-in'}
  if (typeof stated !== 'string') {
    const {repository, oci = '', ...locked} = stated
    return repository === undefined
      ? {kind: 'oci', url: oci, ...locked}
      : {kind: 'repository', url: repository, ...locked}
  }
  if (stated.startsWith('oci://')) return {kind: 'oci', url: stated}
  return {kind: 'directory', path: resolve(directory, stated)}
}

function releaseSettings(name: string, stated: Values, position: Locate): ReleaseSettings {
  const {requires, without, timeout, ...same} = stated
  const path = ['kk', 'releases', name, 'requires']
  return {
    ...(same as Pick<ReleaseSettings, 'chart' | 'version' | 'namespace' | 'protected' | 'infer' | 'secrets'>),
    requires: ((requires ?? []) as StatedItem[]).map((each, index) =>
      requirement(each, position([...path, index])),
    ),
    without: (without ?? []) as string[],
    ...(typeof timeout === 'string' && {timeoutSeconds: seconds(timeout) as number}),
  }
}

type StatedItem = string | Partial<StatedRequirement>

function requirement(stated: StatedItem, position: Position | undefined): StatedRequirement {
  if (typeof stated === 'string') return parseRequirement(stated, position) as StatedRequirement
  const {release = '', namespace, kind = 'ready'} = stated
  return {release, kind, ...(namespace !== undefined && {namespace}), ...(position && {position})}
}
