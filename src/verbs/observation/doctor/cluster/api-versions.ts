import type {KubernetesObject} from '../../../../cluster/cluster.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../../../release.ts'
import type {Check, Found} from '../finding.ts'
import {DEPRECATED_APIS} from './deprecated-apis.ts'

/** An API version and kind, and the releases that have it. */
export interface UsedKind {
  readonly apiVersion: string
  readonly kind: string
  readonly releases: readonly ReleaseId[]
}

/** What charts render, and what releases were rendered to, must be of kinds that the cluster serves. */
export const apiVersionsCheck: Check = {
  name: 'api-versions',
  needs: 'cluster',
  fine: 'the cluster serves every kind that is used',
  async find({cluster, rendered, readRecords}) {
    const charts = await rendered()
    const records = await readRecords()
    const installed = new Map(
      records.flatMap((each) => ('objects' in each ? [[each.record.release, each.objects] as const] : [])),
    )
    const isServed = async ({apiVersion, kind}: UsedKind) =>
      (await cluster.diagnosis.served(apiVersion, kind)) !== undefined
    const brought = new Set([...charts.values()].flat().flatMap(kindsOf))
    const of = async (used: readonly UsedKind[]) => {
      const served = await Promise.all(used.map(isServed))
      return used.filter((_, index) => !served[index])
    }
    const wanted = usedKinds(charts)
    const missing = await of(wanted)
    return [
      ...judgeMissing(missing.filter((each) => !brought.has(keyOf(each)))),
      ...judgeDeprecated(wanted.filter((each) => !missing.includes(each))),
      ...judgeForgotten(await of(usedKinds(installed))),
    ]
  },
}

export function usedKinds(objects: ReadonlyMap<ReleaseId, readonly KubernetesObject[]>): readonly UsedKind[] {
  const used = new Map<string, {apiVersion: string; kind: string; releases: Set<ReleaseId>}>()
  for (const [release, all] of objects) {
    for (const {apiVersion, kind} of all) {
      const entry = used.get(keyOf({apiVersion, kind})) ?? {apiVersion, kind, releases: new Set()}
      entry.releases.add(release)
      used.set(keyOf({apiVersion, kind}), entry)
    }
  }
  return [...used.values()].map((each) => ({...each, releases: [...each.releases]}))
}

function keyOf({apiVersion, kind}: Pick<UsedKind, 'apiVersion' | 'kind'>): string {
  return `${apiVersion}/${kind}`
}

/** The kinds that a CustomResourceDefinition brings. */
function kindsOf({kind, spec}: KubernetesObject): readonly string[] {
  if (kind !== 'CustomResourceDefinition') return []
  const {
    group,
    names,
    versions = [],
  } = spec as {
    readonly group?: string
    readonly names?: {readonly kind?: string}
    readonly versions?: readonly {readonly name: string}[]
  }
  return versions.map(({name}) => `${group}/${name}/${names?.kind}`)
}

/** Charts that cannot be installed. */
export function judgeMissing(missing: readonly UsedKind[]): readonly Found[] {
  return missing.map(({apiVersion, kind, releases}) => {
    const known = deprecationOf({apiVersion, kind})
    const names = releases.map(releaseName).join(', ')
    const advice = known
      ? `use ${known.use} in the chart: ${apiVersion} went with Kubernetes ${known.gone ?? known.since}`
      : `install what brings ${kind} (${apiVersion}), or switch it off in the values of ${names}`
    const what = `the cluster does not serve ${kind} of ${apiVersion}, which ${names} would install`
    return {level: 'problem', what, advice}
  })
}

export function judgeDeprecated(used: readonly UsedKind[]): readonly Found[] {
  return used.flatMap(({apiVersion, kind, releases}) => {
    const known = deprecationOf({apiVersion, kind})
    if (!known) return []
    const until = known.gone === undefined ? '' : `, and goes with ${known.gone}`
    const what = `${kind} of ${apiVersion}, which ${releases.map(releaseName).join(', ')} would install, is deprecated since Kubernetes ${known.since}${until}`
    return [{level: 'warning' as const, what, advice: `use ${known.use} in the chart`}]
  })
}

/** Helm reads the last manifest at every upgrade, and fails when it holds a kind that is gone (helm issue 7219). */
export function judgeForgotten(missing: readonly UsedKind[]): readonly Found[] {
  return missing.flatMap(({apiVersion, kind, releases}) =>
    releases.map((release): Found => {
      const [name, namespace] = [releaseName(release), releaseNamespace(release)]
      const what = `${release} was installed with ${kind} of ${apiVersion}, which the cluster no longer serves: its next upgrade would fail`
      const advice = `helm plugin install https://github.com/helm/helm-mapkubeapis && helm mapkubeapis ${name} --namespace ${namespace}`
      return {level: 'problem', what, advice}
    }),
  )
}

function deprecationOf({apiVersion, kind}: Pick<UsedKind, 'apiVersion' | 'kind'>) {
  return DEPRECATED_APIS.find(
    (each) => each.apiVersion === apiVersion && (each.kind === undefined || each.kind === kind),
  )
}
