import {readFile} from 'node:fs/promises'
import type {IncomingMessage} from 'node:http'
import {request as send} from 'node:https'
import {text} from 'node:stream/consumers'
import {load} from 'js-yaml'

interface Kubeconfig {
  readonly clusters: readonly [{readonly cluster: Credentials & {readonly server: string}}]
  readonly users: readonly [{readonly user: Credentials}]
}
type Credentials = Readonly<Record<string, string | undefined>>

export interface Question {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** From the root of the API, with its query. */
  readonly path: string
  /** Of a PATCH: what is applied. */
  readonly body?: object
}

interface Listed {
  readonly items: readonly object[]
}

/**
 * Where these kinds are found, and what an object of them is called; what has no line here is asked of
 * kubectl.
 */
const KINDS: Readonly<Record<string, readonly [path: string, kind: string]>> = {
  configmaps: ['/api/v1', 'ConfigMap'],
  daemonsets: ['/apis/apps/v1', 'DaemonSet'],
  deployments: ['/apis/apps/v1', 'Deployment'],
  jobs: ['/apis/batch/v1', 'Job'],
  leases: ['/apis/coordination.k8s.io/v1', 'Lease'],
  namespaces: ['/api/v1', 'Namespace'],
  persistentvolumeclaims: ['/api/v1', 'PersistentVolumeClaim'],
  persistentvolumes: ['/api/v1', 'PersistentVolume'],
  pods: ['/api/v1', 'Pod'],
  secrets: ['/api/v1', 'Secret'],
  services: ['/api/v1', 'Service'],
  statefulsets: ['/apis/apps/v1', 'StatefulSet'],
}
const SHORT: Readonly<Record<string, string>> = {pv: 'persistentvolumes', pvc: 'persistentvolumeclaims'}

/**
 * What `kubectl get <words> --output json` says, for kinds that are known here and the flags `--namespace`
 * and `--selector`; undefined for other words. A kubectl takes a fifth of a second of a processor, which
 * tests that wait for something would spend again and again.
 */
export async function getDirectly(kubeconfig: string, words: readonly string[]): Promise<unknown> {
  const question = questionOf(words)
  if (!question) return undefined
  const {kinds, name, namespace, selector} = question
  const answers = await Promise.all(
    kinds.map(async ([plural, [path, kind]]) => {
      const place = `${path}${namespace ? `/namespaces/${namespace}` : ''}/${plural}`
      if (name) return askApi(kubeconfig, {path: `${place}/${name}`})
      const query = selector ? `?labelSelector=${encodeURIComponent(selector)}` : ''
      const {items} = await askApi<Listed>(kubeconfig, {path: place + query})
      // Objects of a list bear no kind.
      return items.map((item) => ({kind, ...item}))
    }),
  )
  return name ? answers[0] : {items: answers.flat()}
}

function questionOf(words: readonly string[]) {
  const [of = '', ...others] = words
  const name = others[0]?.startsWith('-') === false ? others.shift() : undefined
  let namespace: string | undefined
  let selector: string | undefined
  while (others.length > 0) {
    const [flag, value] = others.splice(0, 2)
    if (flag === '--namespace' || flag === '-n') namespace = value
    else if (flag === '--selector') selector = value
    else return undefined
  }
  const kinds = of.split(',').map((each) => {
    const plural = SHORT[each] ?? (each in KINDS ? each : `${each}s`)
    return [plural, KINDS[plural]] as const
  })
  const known = kinds.flatMap(([plural, kind]) => (kind ? [[plural, kind] as const] : []))
  return known.length === kinds.length ? {kinds: known, name, namespace, selector} : undefined
}

interface Applied {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {readonly name: string}
}

/** Makes an object of a namespace, or changes it to this; false for kinds that are not known here. */
export async function applyDirectly(
  kubeconfig: string,
  namespace: string,
  object: Applied,
): Promise<boolean> {
  const {apiVersion, kind, metadata} = object
  const isOfKind = ([path, known]: readonly [string, string]) =>
    known === kind && path.endsWith(`/${apiVersion}`)
  const [plural, found] = Object.entries(KINDS).find(([, each]) => isOfKind(each)) ?? []
  if (!found) return false
  const path = `${found[0]}/namespaces/${namespace}/${plural}/${metadata.name}?fieldManager=kubectl&force=true`
  await askApi(kubeconfig, {method: 'PATCH', path, body: object})
  return true
}

/** Asks the API server of a kubeconfig's first cluster as its first user; rejects when it refuses. */
export async function askApi<T>(kubeconfig: string, {method = 'GET', path, body}: Question): Promise<T> {
  const {clusters, users} = load(await readFile(kubeconfig, 'utf8')) as Kubeconfig
  const [{cluster}] = clusters
  const [{user}] = users
  const [ca, cert, key] = await Promise.all([
    credential(cluster, 'certificate-authority'),
    credential(user, 'client-certificate'),
    credential(user, 'client-key'),
  ])
  const type = method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json'
  const headers = {accept: 'application/json', 'content-type': type}
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(cluster.server + path, {method, headers, ca, cert, key}, resolve)
    request.on('error', reject)
    request.end(body && JSON.stringify(body))
  })
  const answer = await text(response)
  if (response.statusCode! >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${answer}`)
  return JSON.parse(answer) as T
}

/** It stands in the kubeconfig itself, or in a file that is named there. */
async function credential(entry: Credentials, name: string): Promise<string | Buffer> {
  const data = entry[`${name}-data`]
  return data === undefined ? readFile(entry[name]!) : Buffer.from(data, 'base64')
}
