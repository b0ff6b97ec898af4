import {dig, digMaps, digText} from '../../../base/dig.ts'
import {type Want, wordDigest} from '../../../graph/inference/facts.ts'
import {isBuiltIn} from '../../../kubernetes/inventory/custom-kinds.ts'
import type {KubernetesObject} from '../../../kubernetes/manifest/kubernetes-object.ts'
import {objectName, type RenderedObject} from '../../../kubernetes/manifest/manifest.ts'
import {containersOf, podTemplate} from '../../../kubernetes/manifest/pods.ts'
import {entrypointWants, type StatedWant, type Waiting} from './entrypoint.ts'
import {waiterOf} from './waiter-of.ts'

/** All that these objects need of somebody, each thing once for an object. `namespace` is the release's. */
export function wantsOf(rendered: readonly RenderedObject[], namespace: string): readonly Want[] {
  const texts = new Map(rendered.map(({object}) => [object, textOf(object)]))
  const setHere = new Set([...texts.values()].flatMap(linksSetIn))
  return rendered.flatMap(({object, file}) => {
    const waiter = waiterOf(object)
    if (!waiter) return []
    const template = podTemplate(object)
    const containers = template ? containersOf(template) : []
    const waiting: Waiting = {object, waiter, template, containers, text: texts.get(object)!}
    const stated = [
      ...entrypointWants(waiting),
      ...customKindWants(waiting),
      ...referenceWants(waiting),
      ...linkWants(waiting, setHere),
      ...hostWants(waiting),
    ]
    return once(stated).map((want) => ({
      ...want,
      target: inRelease(want.target, object, namespace),
      object: objectName(object),
      waiter,
      file,
    }))
  })
}

function once(wants: readonly StatedWant[]): readonly StatedWant[] {
  if (wants.length < 2) return wants
  return [...new Map(wants.map((want) => [JSON.stringify(want), want])).values()]
}

/** The namespace of what is wanted, when it is not the release's own. */
function inRelease(target: Want['target'], {metadata}: KubernetesObject, own: string): Want['target'] {
  if (target.what !== 'object' && target.what !== 'pods') return target
  const {namespace: stated = metadata.namespace ?? own, ...rest} = target
  return stated === own ? rest : {...rest, namespace: stated}
}

/** A kind that the API server has not of itself: the definition must be there first. */
function customKindWants({object}: Waiting): readonly StatedWant[] {
  const {apiVersion, kind} = object
  if (isBuiltIn(apiVersion)) return []
  const group = apiVersion.split('/')[0]!
  return [{kind: 'applied', target: {what: 'kind', group, kind}, text: `is a ${kind}.${group}`}]
}

const SUFFIX = '_SERVICE_HOST'
const LINK = /\b([A-Z][A-Z0-9_]*)_SERVICE_HOST\b/g
/** A variable that gets its value here: of a container, of a shell, or of a map that becomes variables. */
const SET =
  /(?<![$\w{(])([A-Z][A-Z0-9_]*)_SERVICE_HOST(?==(?!=)|["']?:\s)|^name: ([A-Z][A-Z0-9_]*)_SERVICE_HOST$/gm

/**
 * `KEYSTONE_API_SERVICE_HOST`: Kubernetes sets it in a pod that is younger than the Service, and in no other. `own` are
 * those that the chart sets itself: they are no links.
 */
function linkWants({text}: Pick<Waiting, 'text'>, own: ReadonlySet<string>): readonly StatedWant[] {
  if (!text.includes(SUFFIX)) return []
  const found = new Set(Array.from(text.matchAll(LINK), ([, variable]) => variable!))
  found.delete('KUBERNETES')
  return [...found]
    .filter((variable) => !own.has(variable))
    .map((variable) => ({
      kind: 'applied',
      target: {what: 'link', variable},
      text: `reads ${variable}_SERVICE_HOST, which is set only if the Service is older than the pod`,
    }))
}

/** The variables of that form that a text sets. */
function linksSetIn(text: string): readonly string[] {
  if (!text.includes(SUFFIX)) return []
  return Array.from(text.matchAll(SET), ([, set, named]) => (set ?? named)!)
}

const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?'
/** A Service, perhaps with its namespace. */
const HOST = `${LABEL}(?:\\.${LABEL})?`

/** Patterns of places where a text must mean a host; `sign` is in every text that can match, and is found much faster. */
const PLACES = [
  // name.namespace.svc
  {sign: /\.svc\b/, host: new RegExp(`(?<![\\w.-])(${LABEL}\\.${LABEL})\\.svc\\b`, 'g')},
  // ://name:1, ://user:password@name/, ,user:password@name:1
  {sign: /\/\/|@/, host: new RegExp(`(?::\\/\\/|@)(${HOST})(?=[:/,?]|$)(?!:[^/\\s@]*@)`, 'gm')},
  // server: name, DB_HOST="name"
  {
    sign: /host|server|addr|endpoint|url/i,
    host: new RegExp(
      `(?:host|hostname|hosts|servers?|addr|address|endpoint|url)["']?[ \\t]*[:=][ \\t]*["']?(${HOST})(?=["'\\s:,;]|$)`,
      'gim',
    ),
  },
  // A name with a port: a host if it is a port of that Service.
  {sign: /:\d/, host: new RegExp(`(?<![\\w.-])(${HOST}:\\d{1,5})(?!\\d)`, 'g')},
]

/** Words of a program that waits, and how it is told a host. */
const WAITS = /\b(?:nc|curl|wget|pg_isready|mysqladmin|redis-cli|until|wait)\b/
const TOLD = new RegExp(`(?:\\s-[hH]|--host)[\\s=]+["']?(${HOST})(?=["'\\s:,;]|$)`, 'gm')
const SPACED_PORT = new RegExp(`(?<![\\w.-])(${HOST})\\s+(\\d{2,5})(?!\\d)`, 'g')

/** Words that stand where a host does: `ready` if an init container waits for it by a command, else `soft`. */
function hostWants({text, waiter, containers}: Waiting): readonly StatedWant[] {
  const awaited = new Map<string, string>()
  for (const {container, title, isInit} of containers) {
    if (!isInit || waiter === 'cron') continue
    const own = textIn(container)
    if (WAITS.test(own)) for (const host of [...hostsIn(own), ...toldHosts(own)]) awaited.set(host, title)
  }
  const ready = [...awaited].map(([host, title]) => want(host, 'ready', `${title} waits in a script for`))
  const soft = [...new Set(hostsIn(text))]
    .filter((host) => !awaited.has(host))
    .map((host) => want(host, 'soft', 'mentions'))
  return [...ready, ...soft]
}

/** The name of the Service is put behind the text by who finds it. */
function want(host: string, kind: StatedWant['kind'], text: string): StatedWant {
  return {kind, target: {what: 'host', digest: wordDigest(host)}, text}
}

function hostsIn(text: string): readonly string[] {
  const found: string[] = []
  for (const {sign, host} of PLACES) {
    if (!sign.test(text)) continue
    for (const [, name] of text.matchAll(host)) found.push(name!)
  }
  return found
}

function toldHosts(text: string): readonly string[] {
  const named = Array.from(text.matchAll(TOLD), ([, host]) => host!)
  const withPort = Array.from(text.matchAll(SPACED_PORT), ([, host, port]) => `${host}:${port}`)
  return [...named, ...withPort]
}

/** Objects that an object uses by name, and without which its pods do not start. */
function referenceWants(waiting: Waiting): readonly StatedWant[] {
  return [...podReferences(waiting), ...classReferences(waiting)].filter(
    ({target}) => target.what === 'object' && !isGiven(target.kind, target.name),
  )
}

/** Objects that every namespace, or every cluster, has. */
function isGiven(kind: string, name: string): boolean {
  if (kind === 'ServiceAccount') return name === 'default'
  if (kind === 'ConfigMap') return name === 'kube-root-ca.crt'
  return kind === 'PriorityClass' && name.startsWith('system-')
}

function podReferences({template, containers}: Waiting): readonly StatedWant[] {
  if (!template) return []
  const {spec} = template
  return [
    ...containers.flatMap(({container, title}) => variableReferences(container, title)),
    ...digMaps(spec, 'volumes').flatMap(volumeReferences),
    ...wanted('ServiceAccount', digText(spec, 'serviceAccountName'), 'runs as'),
    ...wanted('PriorityClass', digText(spec, 'priorityClassName'), 'uses'),
    ...wanted('RuntimeClass', digText(spec, 'runtimeClassName'), 'uses'),
  ]
}

function variableReferences(container: object, title: string): readonly StatedWant[] {
  const reads = `${title} reads`
  const keys = digMaps(container, 'env').flatMap((each) => [
    ...required('Secret', dig(each, 'valueFrom', 'secretKeyRef'), reads),
    ...required('ConfigMap', dig(each, 'valueFrom', 'configMapKeyRef'), reads),
  ])
  const whole = digMaps(container, 'envFrom').flatMap((each) => [
    ...required('Secret', dig(each, 'secretRef'), reads),
    ...required('ConfigMap', dig(each, 'configMapRef'), reads),
  ])
  return [...keys, ...whole]
}

function volumeReferences(volume: object): readonly StatedWant[] {
  return [
    ...required('Secret', dig(volume, 'secret'), 'mounts', 'secretName'),
    ...required('ConfigMap', dig(volume, 'configMap'), 'mounts'),
    ...required('PersistentVolumeClaim', dig(volume, 'persistentVolumeClaim'), 'mounts', 'claimName'),
    ...digMaps(volume, 'projected', 'sources').flatMap((source) => [
      ...required('Secret', dig(source, 'secret'), 'mounts'),
      ...required('ConfigMap', dig(source, 'configMap'), 'mounts'),
    ]),
  ]
}

/** Classes are facts of a cluster: a chart that makes one goes first, but nothing is missing without. */
function classReferences({object}: Waiting): readonly StatedWant[] {
  const claims = [
    ...digMaps(object, 'spec', 'volumeClaimTemplates'),
    ...(object.kind === 'PersistentVolumeClaim' ? [object] : []),
  ]
  const ingress = object.kind === 'Ingress' ? digText(object, 'spec', 'ingressClassName') : undefined
  return [
    ...claims.flatMap((claim) =>
      wanted('StorageClass', digText(claim, 'spec', 'storageClassName'), 'uses', 'soft'),
    ),
    ...wanted('IngressClass', ingress, 'uses', 'soft'),
  ]
}

function required(kind: string, reference: unknown, verb: string, key = 'name'): readonly StatedWant[] {
  return dig(reference, 'optional') === true ? [] : wanted(kind, digText(reference, key), verb)
}

function wanted(
  kind: string,
  name: string | undefined,
  verb: string,
  strength: StatedWant['kind'] = 'applied',
): readonly StatedWant[] {
  if (name === undefined) return []
  return [{kind: strength, target: {what: 'object', kind, name}, text: `${verb} ${kind}/${name}`}]
}

/**
 * All texts of an object, each begun by its key on a line of its own: `key: text`, or `NAME=text` for a variable; what a
 * Secret holds is decoded. Metadata are left out.
 */
function textOf(object: KubernetesObject): string {
  const found: string[] = []
  for (const [key, value] of Object.entries(object)) {
    if (key === 'metadata' || key === 'apiVersion' || key === 'kind') continue
    collect(key === 'data' && object.kind === 'Secret' ? decoded(value) : value, key, found)
  }
  return found.join('\n')
}

/** Returns the texts of any part of an object, as `textOf` does of a whole one. */
function textIn(tree: unknown): string {
  const found: string[] = []
  collect(tree, '', found)
  return found.join('\n')
}

function collect(tree: unknown, key: string, found: string[]): void {
  if (typeof tree === 'string') found.push(key === '' ? tree : `${key}: ${tree}`)
  if (typeof tree !== 'object' || tree === null) return
  if (Array.isArray(tree)) {
    for (const each of tree) collect(each, key, found)
    return
  }
  const {name, value} = tree as {readonly name?: unknown; readonly value?: unknown}
  if (typeof name === 'string' && typeof value === 'string') found.push(`${name}=${value}`)
  else for (const inner in tree) collect((tree as Readonly<Record<string, unknown>>)[inner], inner, found)
}

function decoded(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return undefined
  const entries = Object.entries(data).filter(([, value]) => typeof value === 'string')
  return Object.fromEntries(
    entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  )
}
