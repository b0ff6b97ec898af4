import {createHash} from 'node:crypto'
import {isEmpty, type Values} from '../base/values.ts'
import {condense} from '../graph/condense.ts'
import type {Edge, Graph} from '../graph/graph.ts'
import {order} from '../graph/order.ts'
import {blockYaml} from '../overrides/overrides-yaml.ts'
import type {ReleaseId} from '../release.ts'
import type {ExportedCertificate} from './certificates.ts'

/** A chart as other tools find it; without a source it lies beside what is exported. */
export interface ExportedChart {
  readonly name: string
  readonly version: string
  readonly source?: {readonly kind: 'repository' | 'oci'; readonly url: string}
  /** Whether the environment locks the package by a digest. */
  readonly isLocked: boolean
}

/** A release with all that another tool has to know to install it as kk does. */
export interface ExportedRelease {
  readonly id: ReleaseId
  readonly name: string
  readonly namespace: string
  readonly chart: ExportedChart
  /** All layers above the defaults of the chart, merged, without what is secret. */
  readonly values: Values
  /** The places among the values that are secret, written `auth.password`; a list that holds a secret is one as a whole. */
  readonly secrets: readonly string[]
  readonly timeoutSeconds: number
  readonly protected: boolean
  /** Whether helm runs hooks after the rest was applied: a tool that waits for the pods first may wait without end. */
  readonly hooksAfter: boolean
  /** Whether a part of the values was made for this cluster, or is kept by kk: it is as it was at the export. */
  readonly frozen: boolean
  /** The requirements on other releases of the environment, outside of its group. */
  readonly requires: readonly Pick<Edge, 'to' | 'kind' | 'soft'>[]
  /** The releases that go before it, where a tool knows one kind of edge: those that its whole group needs, which starts together, each with its own group. */
  readonly needs: readonly ReleaseId[]
  /** The releases of other environments that it requires. */
  readonly elsewhere: readonly ReleaseId[]
}

/** Releases of which none is installed before another: one alone, or those that need each other. */
export type ExportedGroup = readonly ExportedRelease[]

/** An environment as another tool is to have it. */
export interface Exported {
  readonly name: string
  /** What is between its name and the rest in the names of its objects; see `separatorOf`. */
  readonly separator: Separator
  /** Each group after all that its members require. */
  readonly groups: readonly ExportedGroup[]
  /** The environment file: its name, and the SHA-256 (hex) of its content. */
  readonly file: {readonly name: string; readonly digest: string}
  /** What kk alone knows of the environment: kinds with rules of readiness, and directories of charts, by their paths from the file. */
  readonly readiness: readonly string[]
  readonly directories: readonly string[]
  /** The facts of the cluster that nothing has stated: system overrides are made without them. */
  readonly unknownFacts: readonly string[]
  /** The certificates of all releases, and who renews them. */
  readonly certificates: readonly ExportedCertificate[]
  /** Whether secrets are written, encrypted, instead of only named. */
  readonly sops: boolean
  /** The image of kk, for formats whose steps run kk. */
  readonly image: string
}

/** The files of an export by their paths. */
export type ExportedFiles = ReadonlyMap<string, string>

export function releasesOf({groups}: Pick<Exported, 'groups'>): readonly ExportedRelease[] {
  return groups.flat()
}

/** A release before its place among the others is known. */
export type Unplaced = Omit<ExportedRelease, 'requires' | 'needs' | 'elsewhere'>

/** Returns the releases in the order of the graph, those that need each other together, each without edges inside its group. */
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
    const edgesOf = (release: ReleaseId) =>
      graph.requirements.get(release)!.filter(({to}) => !group.includes(to))
    // All of a group: what needs one of its members needs, by that, the others.
    const before = group.flatMap(edgesOf).flatMap(({to}) => groups.get(members.get(to)!) ?? [])
    const needs = [...new Set(before)]
    return group.map((release) => {
      const edges = edgesOf(release)
      return {
        ...releases.get(release)!,
        needs,
        requires: edges.filter(({to}) => releases.has(to)).map(({to, kind, soft}) => ({to, kind, soft})),
        elsewhere: edges.filter(({to}) => !releases.has(to)).map(({to}) => to),
      }
    })
  })
}

/** Returns the groups by waves: each after all that it requires, and as early as that allows. */
export function waves({groups}: Pick<Exported, 'groups'>): readonly (readonly ExportedRelease[])[] {
  const waveOf = new Map<ReleaseId, number>()
  for (const group of groups) {
    const before = group.flatMap(({needs}) => needs.map((to) => waveOf.get(to)!))
    for (const {id} of group) waveOf.set(id, Math.max(-1, ...before) + 1)
  }
  return [...Map.groupBy(groups.flat(), ({id}) => waveOf.get(id)!)]
    .toSorted(([a], [b]) => a - b)
    .map(([, releases]) => releases)
}

/** Between the name of an environment and that of its part. */
export type Separator = '-' | '.'

/**
 * Returns what separates the name of an environment from the rest, so that no two environments have a name in common: `a-b`
 * with a release `c` would have that of `a` with `b-c`. Up to the first dash a name is that of an environment without
 * dashes; one with dashes ends at the last dot, for releases have none.
 */
export function separatorOf(environment: string): Separator {
  return environment.includes('-') ? '.' : '-'
}

/** Returns the name of an object that another tool has for a part of an environment, such as `cloud-mariadb`. */
export function partName({name, separator}: Pick<Exported, 'name' | 'separator'>, part: string): string {
  return objectName(`${name}${separator}${part}`)
}

/** The value of a label has no more, and controllers label what they make with the names of their objects. */
const MAX_NAME_LENGTH = 63

/**
 * Returns words as the name of an object of another tool. All environments of a cluster share the namespace of the tool, so
 * the name carries the environment. Characters that no name of an object has are replaced, and what is too long is cut; a
 * digest then keeps names distinct.
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

/** The place of a chart that no source has, in the directory of the export. */
export function chartPackage({name, version}: Pick<ExportedChart, 'name' | 'version'>): string {
  return `charts/${name}-${version}.tgz`
}

/** The files with the values of releases; those that have none get none. Git leaves out what users lay among the secrets. */
export function valuesFiles(exported: Exported): ExportedFiles {
  const releases = releasesOf(exported)
  const isGiven = !exported.sops && releases.some(({secrets}) => secrets.length > 0)
  return new Map([
    ...releases
      .filter(({values}) => !isEmpty(values))
      .map((release) => [valuesFile(release), yaml(release.values)] as const),
    ...(isGiven ? ([['secrets/.gitignore', '*\n!.gitignore\n']] as const) : []),
  ])
}

export function valuesFile({name}: Pick<ExportedRelease, 'name'>): string {
  return `values/${name}.yaml`
}

/** The file with the secret values of a release, relative to the export unless the user keeps it elsewhere. */
export function secretsFile({name}: Pick<ExportedRelease, 'name'>): string {
  return `secrets/${name}.yaml`
}

/** Returns YAML that helm, kubectl and each of the tools read as the same: keys sorted, words in quotes where they need them. */
export function yaml(value: Values): string {
  return blockYaml(JSON.parse(JSON.stringify(value)) as Values) || '{}\n'
}

/** Returns several documents as one stream. */
export function yamlStream(documents: readonly Values[]): string {
  return documents.map((each) => `---\n${yaml(each)}`).join('')
}
