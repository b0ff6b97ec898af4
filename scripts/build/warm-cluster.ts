import {existsSync, readFileSync, writeFileSync} from 'node:fs'
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {json} from 'node:stream/consumers'

interface StoredObject {
  readonly metadata: {readonly labels?: Readonly<Record<string, string>>; readonly [key: string]: unknown}
  readonly [key: string]: unknown
}

/** By path. */
type Objects = Map<string, StoredObject>

/** An API server that believes everything, and a helm that only writes records: enough to deploy. */
export interface WarmCluster {
  /** Paths of files. */
  readonly kubeconfig: string
  readonly helm: string
  close(): void
}

/** HOME of helm has to be the directory. */
export async function startWarmCluster(directory: string): Promise<WarmCluster> {
  const objects: Objects = new Map()
  const server = createServer(async (request, response) => {
    for (const [path, object] of installed(directory)) if (!objects.has(path)) objects.set(path, object)
    await answer(objects, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    kubeconfig: written(join(directory, 'kubeconfig'), kubeconfigOf(address)),
    helm: written(join(directory, 'helm'), HELM),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function written(path: string, text: string): string {
  writeFileSync(path, text, {mode: 0o700})
  return path
}

/** Its last words are the release and the chart. Every release has one Deployment. */
const HELM = `#!/bin/sh
[ "$1" = version ] && echo v4.2.0 && exit
cat >/dev/null
command=$1
while [ $# -gt 2 ]; do
  case $1 in
    --namespace) namespace=$2 ;;
    --labels) labels="$labels $2" ;;
  esac
  shift
done
manifest="{apiVersion: apps/v1, kind: Deployment, metadata: {name: $1}, spec: {replicas: 1}}"
[ "$command" = template ] && echo "$manifest" && exit
echo "$namespace $1$labels" >>"$HOME/installed"
echo '{"version": 1, "info": {"status": "deployed"}, "manifest": "'"$manifest"'"}'
`

/** What the releases consist of that helm has written down. */
function installed(directory: string): [string, StoredObject][] {
  const file = join(directory, 'installed')
  if (!existsSync(file)) return []
  const releases = readFileSync(file, 'utf8').trim().split('\n')
  return releases.flatMap((line) => {
    const [namespace, release, ...given] = line.split(' ')
    const labels = {
      ...Object.fromEntries(given.map((label) => label.split('='))),
      ...{owner: 'helm', name: release, status: 'deployed', version: '1'},
    }
    const record = `sh.helm.release.v1.${release}.v1`
    const ready = {replicas: 1, updatedReplicas: 1, availableReplicas: 1}
    return [
      [`/api/v1/namespaces/${namespace}/secrets/${record}`, {metadata: {name: record, namespace, labels}}],
      [
        `/apis/apps/v1/namespaces/${namespace}/deployments/${release}`,
        {metadata: {name: release, namespace}, spec: {replicas: 1}, status: ready},
      ],
    ]
  })
}

async function answer(objects: Objects, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const {pathname: path, searchParams: query} = new URL(request.url ?? '', 'http://warm')
  const send = (body: object, status = 200) =>
    response.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(body))

  if (request.method === 'DELETE') {
    objects.delete(path)
    send({})
    return
  }
  if (request.method !== 'GET') {
    const body = (await json(request)) as StoredObject
    send(query.has('dryRun') ? body : stored(objects, request.method === 'POST', path, body))
    return
  }
  // In a watch nothing happens.
  if (query.has('watch')) {
    response.writeHead(200).flushHeaders()
    return
  }
  const found = FIXED[path] ?? objects.get(path) ?? listed(objects, path, query.get('labelSelector') ?? '')
  send(found ?? {message: 'not found'}, found ? 200 : 404)
}

/** Takes in what was sent; labels are added to those that are there. */
function stored(objects: Objects, isNew: boolean, at: string, body: StoredObject): StoredObject {
  const path = isNew ? `${at}/${body.metadata.name}` : at
  const before = objects.get(path)
  const labels = {...before?.metadata.labels, ...body.metadata.labels}
  const metadata = {...before?.metadata, ...body.metadata, labels, uid: path, resourceVersion: '1'}
  const after = {...before, ...body, metadata}
  objects.set(path, after)
  return after
}

const LISTS = /^(?<root>.*?)(?:\/namespaces\/(?<namespace>[^/]+))?\/(?<plural>[a-z]+s)$/

/** The objects of a kind that have all labels; undefined for the path of an object. */
function listed(objects: Objects, path: string, selector: string): object | undefined {
  const {root, namespace = '[^/]+', plural} = LISTS.exec(path)?.groups ?? {}
  if (plural === undefined || path.endsWith('/namespaces/kube-system')) return undefined
  const below = new RegExp(`^${root}/namespaces/${namespace}/${plural}/[^/]+$`)
  const wanted = selector.split(',').map((label) => label.split('='))
  const items = [...objects]
    .filter(([key]) => below.test(key))
    .map(([, object]) => object)
    .filter(({metadata: {labels}}) => wanted.every(([key = '', value]) => !value || labels?.[key] === value))
  return {metadata: {resourceVersion: '1'}, items}
}

const DEPLOYMENTS = {
  resource: 'deployments',
  scope: 'Namespaced',
  responseKind: {kind: 'Deployment'},
}

const FIXED: Readonly<Record<string, object>> = {
  '/version': {gitVersion: 'v1.36.0'},
  '/api': {items: []},
  '/apis': {items: [{metadata: {name: 'apps'}, versions: [{version: 'v1', resources: [DEPLOYMENTS]}]}]},
  '/api/v1/namespaces/kube-system': {metadata: {uid: 'warm'}},
}

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'warm',
    clusters: [{name: 'warm', cluster: {server}}],
    users: [{name: 'warm', user: {}}],
    contexts: [{name: 'warm', context: {cluster: 'warm', user: 'warm'}}],
  })
}
