import {type ReleaseId, releaseId} from '../../release.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll, METADATA_LIST} from '../api/list.ts'
import {asking, PODS, resourcePath} from '../api/resources.ts'
import {annotatedRelease, type ObjectMetadata} from '../guard/claims.ts'
import type {SeenClaim, SeenHookJob} from './diagnosis.ts'

interface Listed {
  readonly metadata: ObjectMetadata
}

/** Labels by which charts say whose an object is: Kubernetes' own, and openstack-helm's. */
const RELEASE_LABELS = ['app.kubernetes.io/instance', 'release_group']

export async function listAllClaims(client: ApiClient): Promise<readonly SeenClaim[]> {
  const {items} = await listAll<Listed>(client, {
    path: '/api/v1/persistentvolumeclaims',
    accept: METADATA_LIST,
    asked: 'list persistentvolumeclaims in all namespaces',
  })
  return items.map(({metadata}) => ({
    namespace: metadata.namespace,
    name: metadata.name,
    release: annotatedRelease(metadata) ?? labelledRelease(metadata),
    labels: metadata.labels ?? {},
  }))
}

function labelledRelease({namespace, labels = {}}: ObjectMetadata): ReleaseId | undefined {
  const [name] = RELEASE_LABELS.flatMap((label) => labels[label] ?? [])
  return name === undefined ? undefined : releaseId(namespace, name)
}

interface Pod {
  readonly metadata: {readonly namespace: string}
  readonly spec?: {
    readonly volumes?: readonly {readonly persistentVolumeClaim?: {readonly claimName: string}}[]
  }
}

export async function listMountedClaims(client: ApiClient, namespace: string): Promise<ReadonlySet<string>> {
  const {items} = await listAll<Pod>(client, {
    path: resourcePath(PODS, namespace),
    asked: asking('list', PODS, namespace),
  })
  const names = items.flatMap(({spec}) =>
    (spec?.volumes ?? []).flatMap(({persistentVolumeClaim}) => persistentVolumeClaim?.claimName ?? []),
  )
  return new Set(names.map((name) => `${namespace}/${name}`))
}

const HOOK = 'helm.sh/hook'

export async function listHookJobs(client: ApiClient): Promise<readonly SeenHookJob[]> {
  const {items} = await listAll<Listed>(client, {
    path: '/apis/batch/v1/jobs',
    accept: METADATA_LIST,
    asked: 'list jobs in all namespaces',
  })
  return items.flatMap(({metadata: {namespace, name, annotations}}) => {
    const hook = annotations?.[HOOK]
    return hook === undefined ? [] : [{namespace, name, hook}]
  })
}
