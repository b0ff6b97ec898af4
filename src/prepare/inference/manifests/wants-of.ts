import {dig, digMaps, digText} from '../../../base/dig.ts'
import {type Want, wordDigest} from '../../../graph/inference/facts.ts'
import {isBuiltIn} from '../../../kubernetes/inventory/custom-kinds.ts'
import type {KubernetesObject} from '../../../kubernetes/manifest/kubernetes-object.ts'
import {objectName, type RenderedObject} from '../../../kubernetes/manifest/manifest.ts'
import {containersOf, podTemplate} from '../../../kubernetes/manifest/pods.ts'
import {entrypointWants, type RuleWant, type WaitingObject} from './entrypoint.ts'
import {waiterOf} from './waiter-of.ts'

/**
 * Returns what these objects need from other releases, without duplicates per object. `namespace` is the
 * release's.
 */
export function wantsOf(rendered: readonly RenderedObject[], namespace: string): readonly Want[] {
  const texts = new Map(rendered.map(({object}) => [object, objectStrings(object)]))
  const assigned = new Set([...texts.values()].flatMap(assignedVariables))
  return rendered.flatMap(({object, file}) => {
    const waiter = waiterOf(object)
    if (!waiter) return []
    const template = podTemplate(object)
    const containers = template ? containersOf(template) : []
    const waiting: WaitingObject = {object, waiter, template, containers, text: texts.get(object)!}
    const wants = [
      ...entrypointWants(waiting),
      ...customKindWants(waiting),
      ...referenceWants(waiting),
      ...linkWants(waiting, assigned),
      ...hostWants(waiting),
    ]
    return unique(wants).map((hostWant) => ({
      ...hostWant,
      target: inRelease(hostWant.target, object, namespace),
      object: objectName(object),
      waiter,
      file,
    }))
  })
}

function unique(wants: readonly RuleWant[]): readonly RuleWant[] {
  if (wants.length < 2) return wants
  return [...new Map(wants.map((hostWant) => [JSON.stringify(hostWant), hostWant])).values()]
}

/** Returns a target with its namespace, unless that is the namespace of the release. */
function inRelease(target: Want['target'], {metadata}: KubernetesObject, own: string): Want['target'] {
  if (target.what !== 'object' && target.what !== 'pods') return target
  const {namespace = metadata.namespace ?? own, ...rest} = target
  return namespace === own ? rest : {...rest, namespace}
}

/** Returns the wants for custom kinds: their definition must exist first. */
function customKindWants({object}: WaitingObject): readonly RuleWant[] {
  const {apiVersion, kind} = object
  if (isBuiltIn(apiVersion)) return []
  const group = apiVersion.split('/')[0]!
  return [{kind: 'applied', target: {what: 'kind', group, kind}, text: `is a ${kind}.${group}`}]
}

const SUFFIX = '_SERVICE_HOST'
const LINK = /\b([A-Z][A-Z0-9_]*)_SERVICE_HOST\b/g
/** Matches an assignment of such a variable: in a container, a shell script, or a map of variables. */
const ASSIGNED_LINK =
  /(?<![$\w{(])([A-Z][A-Z0-9_]*)_SERVICE_HOST(?==(?!=)|["']?:\s)|^name: ([A-Z][A-Z0-9_]*)_SERVICE_HOST$/gm

/**
 * Returns the wants for variables such as `KEYSTONE_API_SERVICE_HOST`: Kubernetes sets them only in pods that
 * are younger than the Service. `own` has the variables that the chart itself sets; these are skipped.
 */
function linkWants({text}: Pick<WaitingObject, 'text'>, own: ReadonlySet<string>): readonly RuleWant[] {
  if (!text.includes(SUFFIX)) return []
  const variables = new Set(Array.from(text.matchAll(LINK), ([, variable]) => variable!))
  variables.delete('KUBERNETES')
  return [...variables]
    .filter((variable) => !own.has(variable))
    .map((variable) => ({
      kind: 'applied',
      target: {what: 'link', variable},
      text: `reads ${variable}_SERVICE_HOST, which is set only if the Service is older than the pod`,
    }))
}

/** Returns the `*_SERVICE_HOST` variables that a string sets. */
function assignedVariables(text: string): readonly string[] {
  if (!text.includes(SUFFIX)) return []
  return Array.from(text.matchAll(ASSIGNED_LINK), ([, set, named]) => (set ?? named)!)
}

const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?'
/** A Service name, optionally with its namespace. */
const HOST = `${LABEL}(?:\\.${LABEL})?`

/**
 * Patterns of hosts in strings. `prefilter` matches every string that `host` can match, and is much faster.
 */
const HOST_PATTERNS = [
  // name.namespace.svc
  {prefilter: /\.svc\b/, host: new RegExp(`(?<![\\w.-])(${LABEL}\\.${LABEL})\\.svc\\b`, 'g')},
  // ://name:1, ://user:password@name/, ,user:password@name:1
  {prefilter: /\/\/|@/, host: new RegExp(`(?::\\/\\/|@)(${HOST})(?=[:/,?]|$)(?!:[^/\\s@]*@)`, 'gm')},
  // server: name, DB_HOST="name"
  {
    prefilter: /host|server|addr|endpoint|url/i,
    host: new RegExp(
      `(?:host|hostname|hosts|servers?|addr|address|endpoint|url)["']?[ \\t]*[:=][ \\t]*["']?(${HOST})(?=["'\\s:,;]|$)`,
      'gim',
    ),
  },
  // name:port; a host only if the Service has this port
  {prefilter: /:\d/, host: new RegExp(`(?<![\\w.-])(${HOST}:\\d{1,5})(?!\\d)`, 'g')},
]

/** Commands that wait for a host, and the flags that name it. */
const WAIT_COMMANDS = /\b(?:nc|curl|wget|pg_isready|mysqladmin|redis-cli|until|wait)\b/
const HOST_FLAG = new RegExp(`(?:\\s-[hH]|--host)[\\s=]+["']?(${HOST})(?=["'\\s:,;]|$)`, 'gm')
const SPACED_PORT = new RegExp(`(?<![\\w.-])(${HOST})\\s+(\\d{2,5})(?!\\d)`, 'g')

/**
 * Returns the wants for hosts: `ready` if an init container waits for the host with a command, else `soft`.
 */
function hostWants({text, waiter, containers}: WaitingObject): readonly RuleWant[] {
  const awaited = new Map<string, string>()
  for (const {container, title, isInit} of containers) {
    if (!isInit || waiter === 'cron') continue
    const own = partStrings(container)
    if (WAIT_COMMANDS.test(own))
      for (const host of [...findHosts(own), ...flagHosts(own)]) awaited.set(host, title)
  }
  const ready = [...awaited].map(([host, title]) => hostWant(host, 'ready', `${title} waits in a script for`))
  const soft = [...new Set(findHosts(text))]
    .filter((host) => !awaited.has(host))
    .map((host) => hostWant(host, 'soft', 'mentions'))
  return [...ready, ...soft]
}

/**
 * Returns the want for a host. The caller that resolves the host appends the name of the Service to `text`.
 */
function hostWant(host: string, kind: RuleWant['kind'], text: string): RuleWant {
  return {kind, target: {what: 'host', digest: wordDigest(host)}, text}
}

function findHosts(text: string): readonly string[] {
  const hosts: string[] = []
  for (const {prefilter, host} of HOST_PATTERNS) {
    if (!prefilter.test(text)) continue
    for (const [, name] of text.matchAll(host)) hosts.push(name!)
  }
  return hosts
}

function flagHosts(text: string): readonly string[] {
  const named = Array.from(text.matchAll(HOST_FLAG), ([, host]) => host!)
  const withPort = Array.from(text.matchAll(SPACED_PORT), ([, host, port]) => `${host}:${port}`)
  return [...named, ...withPort]
}

/** Returns the wants for objects that an object references by name and that its pods need to start. */
function referenceWants(waiting: WaitingObject): readonly RuleWant[] {
  return [...podReferences(waiting), ...classReferences(waiting)].filter(
    ({target}) => target.what === 'object' && !isInEveryCluster(target.kind, target.name),
  )
}

/** Returns true for objects that every namespace, or every cluster, has. */
function isInEveryCluster(kind: string, name: string): boolean {
  if (kind === 'ServiceAccount') return name === 'default'
  if (kind === 'ConfigMap') return name === 'kube-root-ca.crt'
  return kind === 'PriorityClass' && name.startsWith('system-')
}

function podReferences({template, containers}: WaitingObject): readonly RuleWant[] {
  if (!template) return []
  const {spec} = template
  return [
    ...containers.flatMap(({container, title}) => variableReferences(container, title)),
    ...digMaps(spec, 'volumes').flatMap(volumeReferences),
    ...objectWants('ServiceAccount', digText(spec, 'serviceAccountName'), 'runs as'),
    ...objectWants('PriorityClass', digText(spec, 'priorityClassName'), 'uses'),
    ...objectWants('RuntimeClass', digText(spec, 'runtimeClassName'), 'uses'),
  ]
}

function variableReferences(container: object, title: string): readonly RuleWant[] {
  const reads = `${title} reads`
  const keys = digMaps(container, 'env').flatMap((each) => [
    ...requiredWants('Secret', dig(each, 'valueFrom', 'secretKeyRef'), reads),
    ...requiredWants('ConfigMap', dig(each, 'valueFrom', 'configMapKeyRef'), reads),
  ])
  const sources = digMaps(container, 'envFrom').flatMap((each) => [
    ...requiredWants('Secret', dig(each, 'secretRef'), reads),
    ...requiredWants('ConfigMap', dig(each, 'configMapRef'), reads),
  ])
  return [...keys, ...sources]
}

function volumeReferences(volume: object): readonly RuleWant[] {
  return [
    ...requiredWants('Secret', dig(volume, 'secret'), 'mounts', 'secretName'),
    ...requiredWants('ConfigMap', dig(volume, 'configMap'), 'mounts'),
    ...requiredWants('PersistentVolumeClaim', dig(volume, 'persistentVolumeClaim'), 'mounts', 'claimName'),
    ...digMaps(volume, 'projected', 'sources').flatMap((source) => [
      ...requiredWants('Secret', dig(source, 'secret'), 'mounts'),
      ...requiredWants('ConfigMap', dig(source, 'configMap'), 'mounts'),
    ]),
  ]
}

/**
 * Returns soft wants for classes: usually the cluster already has them; if a chart creates one, it is
 * deployed first.
 */
function classReferences({object}: WaitingObject): readonly RuleWant[] {
  const claims = [
    ...digMaps(object, 'spec', 'volumeClaimTemplates'),
    ...(object.kind === 'PersistentVolumeClaim' ? [object] : []),
  ]
  const ingress = object.kind === 'Ingress' ? digText(object, 'spec', 'ingressClassName') : undefined
  return [
    ...claims.flatMap((claim) =>
      objectWants('StorageClass', digText(claim, 'spec', 'storageClassName'), 'uses', 'soft'),
    ),
    ...objectWants('IngressClass', ingress, 'uses', 'soft'),
  ]
}

function requiredWants(kind: string, reference: unknown, verb: string, key = 'name'): readonly RuleWant[] {
  return dig(reference, 'optional') === true ? [] : objectWants(kind, digText(reference, key), verb)
}

function objectWants(
  kind: string,
  name: string | undefined,
  verb: string,
  strength: RuleWant['kind'] = 'applied',
): readonly RuleWant[] {
  if (name === undefined) return []
  return [{kind: strength, target: {what: 'object', kind, name}, text: `${verb} ${kind}/${name}`}]
}

/**
 * Returns all strings of an object except metadata, one per line with its key: `key: string`, or
 * `NAME=string` for a variable. Data of a Secret is decoded.
 */
function objectStrings(object: KubernetesObject): string {
  const strings: string[] = []
  for (const [key, value] of Object.entries(object)) {
    if (key === 'metadata' || key === 'apiVersion' || key === 'kind') continue
    collect(key === 'data' && object.kind === 'Secret' ? decodeData(value) : value, key, strings)
  }
  return strings.join('\n')
}

/** Returns the strings of a part of an object, in the form of `objectStrings`. */
function partStrings(tree: unknown): string {
  const strings: string[] = []
  collect(tree, '', strings)
  return strings.join('\n')
}

function collect(tree: unknown, key: string, strings: string[]): void {
  if (typeof tree === 'string') strings.push(key === '' ? tree : `${key}: ${tree}`)
  if (typeof tree !== 'object' || tree === null) return
  if (Array.isArray(tree)) {
    for (const each of tree) collect(each, key, strings)
    return
  }
  const {name, value} = tree as {readonly name?: unknown; readonly value?: unknown}
  if (typeof name === 'string' && typeof value === 'string') strings.push(`${name}=${value}`)
  else for (const inner in tree) collect((tree as Readonly<Record<string, unknown>>)[inner], inner, strings)
}

function decodeData(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return undefined
  const entries = Object.entries(data).filter(([, value]) => typeof value === 'string')
  return Object.fromEntries(
    entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  )
}
