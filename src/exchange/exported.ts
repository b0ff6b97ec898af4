import {createHash} from 'node:crypto'
import {isEmpty, type Values} from '../base/values.ts'
import {condense} from '../graph/condense.ts'
import type {Edge, Graph} from '../graph/graph.ts'
import {order} from '../graph/order.ts'
import {blockYaml} from '../overrides/overrides-yaml.ts'
import type {ReleaseId} from '../release.ts'
import type {ExportedCertificate} from './certificates.ts'

/** A chart as other tools refer to it; a chart without a source is in the directory of the export. */
export interface ExportedChart {
  readonly name: string
  readonly version: string
  readonly source?: {readonly kind: 'repository' | 'oci'; readonly url: string}
  /** Whether the environment locks the package by a digest. */
  readonly isLocked: boolean
}

/** A release with everything that another tool needs to install it as kk does. */
export interface ExportedRelease {
  readonly id: ReleaseId
  readonly name: string
  readonly namespace: string
  readonly chart: ExportedChart
  /** All layers above the chart's defaults, merged, without secret values. */
  readonly values: Values
  /**
   * The paths of secret values, such as `auth.password`; a list that contains a secret is secret as a whole.
   */
  readonly secrets: readonly string[]
  readonly timeoutSeconds: number
  readonly protected: boolean
  /**
   * Whether helm runs hooks after applying the rest: a tool that waits for the pods first may wait forever.
   */
  readonly hooksAfter: boolean
  /** Whether some values were generated for this cluster or are stored by kk; they are exported as of now. */
  readonly frozen: boolean
  /** The requirements on releases of the environment outside its group. */
  readonly requires: readonly Pick<Edge, 'to' | 'kind' | 'soft'>[]
  /**
   * The releases that must be deployed first, for tools with one kind of edge: all groups that any member of
   * its own group needs, because a group starts together.
   */
  readonly needs: readonly ReleaseId[]
  /** The releases of other environments that it requires. */
  readonly foreignRequirements: readonly ReleaseId[]
}

/** Releases without an order among them: a single one, or several that need each other. */
export type ExportedGroup = readonly ExportedRelease[]

/** An environment as exported for another tool. */
export interface Exported {
  readonly name: string
  /** Separates its name from the rest in object names; see `separatorOf`. */
  readonly separator: Separator
  /** Each group follows all groups that its members require. */
  readonly groups: readonly ExportedGroup[]
  /**
   * The environment file: its name, the SHA-256 (hex) of its content, and whether that is of several files.
   */
  readonly file: {readonly name: string; readonly digest: string; readonly isMerged?: boolean | undefined}
  /**
   * What only kk knows of: kinds with readiness rules, and chart directories by their paths relative to the
   * file.
   */
  readonly readiness: readonly string[]
  readonly directories: readonly string[]
  /** Cluster facts without a value: system overrides are computed without them. */
  readonly unknownFacts: readonly string[]
  /** The certificates of all releases, and what renews them. */
  readonly certificates: readonly ExportedCertificate[]
  /** Whether secrets are written, encrypted with SOPS, instead of only listed. */
  readonly sops: boolean
  /** The image of kk, for formats whose steps run kk. */
  readonly image: string
}

/** The files of an export by path. */
export type ExportedFiles = ReadonlyMap<string, string>

export function releasesOf({groups}: Pick<Exported, 'groups'>): readonly ExportedRelease[] {
  return groups.flat()
}

/** A release before its requirements are resolved. */
export type Unplaced = Omit<ExportedRelease, 'requires' | 'needs' | 'foreignRequirements'>

/**
 * Returns the releases in graph order, those that need each other as one group, without edges inside a group.
 */
export function exportedGroups(
  graph: Graph,
  releases: ReadonlyMap<ReleaseId, Unplaced>,
): readonly ExportedGroup[] {
  const members = new Map(condense(graph).parts.flatMap((part) => part.map((each) => [each, part] as const)))
  const groups = Map.groupBy(
    order(graph).filter((release) => releases.has(release)),
    (release) => members.get(release)!,
  )
  return [...groups.values()].map((group) => {
    const outerEdges = (release: ReleaseId) =>
      graph.requirements.get(release)!.filter(({to}) => !group.includes(to))
    // All members of a group: a release that needs one member also needs the others.
    const before = group.flatMap(outerEdges).flatMap(({to}) => groups.get(members.get(to)!) ?? [])
    const needs = [...new Set(before)]
    return group.map((release) => {
      const edges = outerEdges(release)
      return {
        ...releases.get(release)!,
        needs,
        requires: edges.filter(({to}) => releases.has(to)).map(({to, kind, soft}) => ({to, kind, soft})),
        foreignRequirements: edges.filter(({to}) => !releases.has(to)).map(({to}) => to),
      }
    })
  })
}

/** Returns the groups in waves: each after everything it requires, and as early as possible. */
export function waves({groups}: Pick<Exported, 'groups'>): readonly (readonly ExportedRelease[])[] {
  const waveById = new Map<ReleaseId, number>()
  for (const group of groups) {
    const before = group.flatMap(({needs}) => needs.map((to) => waveById.get(to)!))
    for (const {id} of group) waveById.set(id, Math.max(-1, ...before) + 1)
  }
  return [...Map.groupBy(groups.flat(), ({id}) => waveById.get(id)!)]
    .toSorted(([a], [b]) => a - b)
    .map(([, releases]) => releases)
}

/** Separates the name of an environment from that of its part. */
export type Separator = '-' | '.'

/**
 * Returns the separator after the name of an environment, chosen so that no two environments share an object
 * name: with dashes only, `a-b` with a release `c` would collide with `a` with a release `b-c`. An
 * environment name without dashes ends at the first dash; one with dashes ends at the last dot, because
 * releases have no dots.
 */
export function separatorOf(environment: string): Separator {
  return environment.includes('-') ? '.' : '-'
}

/** Returns the name of another tool's object for a part of an environment, such as `cloud-mariadb`. */
export function partName({name, separator}: Pick<Exported, 'name' | 'separator'>, part: string): string {
  return objectName(`${name}${separator}${part}`)
}

/** The maximum length of a label value; controllers label what they create with their objects' names. */
const MAX_NAME_LENGTH = 63

/**
 * Returns a string as an object name of another tool. All environments of a cluster share the tool's
 * namespace, so the name contains the environment. Invalid characters are replaced and long names are
 * truncated; a digest then keeps names distinct.
 */
export function objectName(...parts: readonly string[]): string {
  const words = parts.join('-')
  const name = words
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$|(?<=\.)[-.]+|-+(?=\.)/g, '')
  if (name === words && name.length <= MAX_NAME_LENGTH) return name
  const digest = createHash('sha256').update(words).digest('hex').slice(0, 8)
  return `${name.slice(0, MAX_NAME_LENGTH - 9).replace(/[-.]+$/, '')}-${digest}`
}

/** Returns the path of a chart without a source in the directory of the export. */
export function chartPackage({name, version}: Pick<ExportedChart, 'name' | 'version'>): string {
  return `charts/${name}-${version}.tgz`
}

/** Returns the values files of releases that have values. Git ignores what users put into `secrets/`. */
export function valuesFiles(exported: Exported): ExportedFiles {
  const releases = releasesOf(exported)
  const needsGitignore = !exported.sops && releases.some(({secrets}) => secrets.length > 0)
  return new Map([
    ...releases
      .filter(({values}) => !isEmpty(values))
      .map((release) => [valuesFile(release), yaml(release.values)] as const),
    ...(needsGitignore ? ([['secrets/.gitignore', '*\n!.gitignore\n']] as const) : []),
  ])
}

export function valuesFile({name}: Pick<ExportedRelease, 'name'>): string {
  return `values/${name}.yaml`
}

/**
 * Returns the path of a release's secret values, relative to the export unless the user stores it elsewhere.
 */
export function secretsFile({name}: Pick<ExportedRelease, 'name'>): string {
  return `secrets/${name}.yaml`
}

/**
 * Returns YAML that helm, kubectl and all of the tools parse identically: sorted keys, strings quoted if
 * needed.
 */
export function yaml(value: Values): string {
  return blockYaml(JSON.parse(JSON.stringify(value)) as Values) || '{}\n'
}

/** Returns several documents as one YAML stream. */
export function yamlStream(documents: readonly Values[]): string {
  return documents.map((each) => `---\n${yaml(each)}`).join('')
}
