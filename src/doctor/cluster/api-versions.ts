import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {Check, CheckFinding} from '../finding.ts'

/** An API version and kind, and the releases that have it. */
export interface UsedKind {
  readonly apiVersion: string
  readonly kind: string
  readonly releases: readonly ReleaseId[]
}

/**
 * Checks that the cluster serves the kinds of all objects that charts render or that installed releases have.
 */
export const apiVersionsCheck: Check = {
  name: 'api-versions',
  okMessage: 'the cluster serves every kind that is used',
  async run({cluster, rendered, readRecords}) {
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
      ...judgeMissing(missing.filter((each) => !brought.has(kindKey(each)))),
      ...judgeDeprecated(wanted.filter((each) => !missing.includes(each))),
      ...judgeForgotten(await of(usedKinds(installed))),
    ]
  },
}

export function usedKinds(objects: ReadonlyMap<ReleaseId, readonly KubernetesObject[]>): readonly UsedKind[] {
  const used = new Map<string, {apiVersion: string; kind: string; releases: Set<ReleaseId>}>()
  for (const [release, all] of objects) {
    for (const {apiVersion, kind} of all) {
      const entry = used.get(kindKey({apiVersion, kind})) ?? {apiVersion, kind, releases: new Set()}
      entry.releases.add(release)
      used.set(kindKey({apiVersion, kind}), entry)
    }
  }
  return [...used.values()].map((each) => ({...each, releases: [...each.releases]}))
}

function kindKey({apiVersion, kind}: Pick<UsedKind, 'apiVersion' | 'kind'>): string {
  return `${apiVersion}/${kind}`
}

/** Returns the kinds that a CustomResourceDefinition defines. */
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

/** Returns a problem for each kind that is not served: its charts cannot be installed. */
export function judgeMissing(missing: readonly UsedKind[]): readonly CheckFinding[] {
  return missing.map(({apiVersion, kind, releases}) => {
    const api = deprecationOf({apiVersion, kind})
    const names = releases.map(releaseName).join(', ')
    const advice = api
      ? `use ${api.use} in the chart: ${apiVersion} was removed in Kubernetes ${api.gone ?? api.since}`
      : `install the CRDs of ${kind} (${apiVersion}), or disable it in the values of ${names}`
    const what = `the cluster does not serve ${kind} of ${apiVersion}, which ${names} would install`
    return {level: 'problem', what, advice}
  })
}

export function judgeDeprecated(used: readonly UsedKind[]): readonly CheckFinding[] {
  return used.flatMap(({apiVersion, kind, releases}) => {
    const api = deprecationOf({apiVersion, kind})
    if (!api) return []
    const until = api.gone === undefined ? '' : `, and removed in ${api.gone}`
    const what = `${kind} of ${apiVersion}, which ${releases.map(releaseName).join(', ')} would install, is deprecated since Kubernetes ${api.since}${until}`
    return [{level: 'warning' as const, what, advice: `use ${api.use} in the chart`}]
  })
}

/**
 * Returns a problem for each release with a kind that is no longer served: helm reads the last manifest at
 * every upgrade, and fails if it contains such a kind (helm issue 7219).
 */
export function judgeForgotten(missing: readonly UsedKind[]): readonly CheckFinding[] {
  return missing.flatMap(({apiVersion, kind, releases}) =>
    releases.map((release): CheckFinding => {
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

interface DeprecatedApi {
  readonly apiVersion: string
  /** The kind; undefined for all kinds of that version. */
  readonly kind?: string
  /** The Kubernetes version that deprecated it. */
  readonly since: string
  /** The Kubernetes version that removed it, if known. */
  readonly gone?: string
  /** The API versions that replace it. */
  readonly use: string
}

/**
 * https://kubernetes.io/docs/reference/using-api/deprecation-guide/, and the fields of API types marked so
 * (1.36).
 */
const DEPRECATED_APIS: readonly DeprecatedApi[] = [
  {apiVersion: 'extensions/v1beta1', since: '1.9', gone: '1.22', use: 'apps/v1 and networking.k8s.io/v1'},
  {apiVersion: 'apps/v1beta1', since: '1.9', gone: '1.16', use: 'apps/v1'},
  {apiVersion: 'apps/v1beta2', since: '1.9', gone: '1.16', use: 'apps/v1'},
  {apiVersion: 'networking.k8s.io/v1beta1', since: '1.19', gone: '1.22', use: 'networking.k8s.io/v1'},
  {
    apiVersion: 'rbac.authorization.k8s.io/v1beta1',
    since: '1.17',
    gone: '1.22',
    use: 'rbac.authorization.k8s.io/v1',
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1beta1',
    kind: 'MutatingWebhookConfiguration',
    since: '1.16',
    gone: '1.22',
    use: 'admissionregistration.k8s.io/v1',
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1beta1',
    kind: 'ValidatingWebhookConfiguration',
    since: '1.16',
    gone: '1.22',
    use: 'admissionregistration.k8s.io/v1',
  },
  {apiVersion: 'apiextensions.k8s.io/v1beta1', since: '1.16', gone: '1.22', use: 'apiextensions.k8s.io/v1'},
  {apiVersion: 'batch/v1beta1', since: '1.21', gone: '1.25', use: 'batch/v1'},
  {apiVersion: 'policy/v1beta1', since: '1.21', gone: '1.25', use: 'policy/v1'},
  {apiVersion: 'autoscaling/v2beta1', since: '1.22', gone: '1.25', use: 'autoscaling/v2'},
  {apiVersion: 'autoscaling/v2beta2', since: '1.23', gone: '1.26', use: 'autoscaling/v2'},
  {apiVersion: 'discovery.k8s.io/v1beta1', since: '1.21', gone: '1.25', use: 'discovery.k8s.io/v1'},
  {apiVersion: 'events.k8s.io/v1beta1', since: '1.19', gone: '1.25', use: 'events.k8s.io/v1'},
  {
    apiVersion: 'storage.k8s.io/v1beta1',
    kind: 'StorageClass',
    since: '1.19',
    gone: '1.22',
    use: 'storage.k8s.io/v1',
  },
  {
    apiVersion: 'storage.k8s.io/v1beta1',
    kind: 'CSIDriver',
    since: '1.19',
    gone: '1.22',
    use: 'storage.k8s.io/v1',
  },
  {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1beta3',
    since: '1.29',
    gone: '1.32',
    use: 'flowcontrol.apiserver.k8s.io/v1',
  },
  {apiVersion: 'v1', kind: 'Endpoints', since: '1.33', use: 'EndpointSlice of discovery.k8s.io/v1'},
  {
    apiVersion: 'v1',
    kind: 'ComponentStatus',
    since: '1.19',
    use: 'the health endpoints of the control plane',
  },
]
