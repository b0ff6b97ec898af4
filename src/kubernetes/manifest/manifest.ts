import {asKkError, KkError} from '../../base/errors.ts'
import {isMap} from '../../base/values.ts'
import {readYamlDocuments} from '../../yaml/yaml.ts'
import type {StoredRelease} from '../records/release-record.ts'
import {isTestHook, underHead} from './helm-view.ts'
import type {KubernetesObject} from './kubernetes-object.ts'

/**
 * Returns the objects of a rendered YAML stream, with the items of Lists in their place; empty documents are
 * ignored. How helm treats each is in helm-view.ts. Throws `KK_RENDER` for a document that is not an object
 * of Kubernetes, and the errors of the YAML reader; both name the chart and the file of the document, if
 * helm's comment above it does.
 */
export function parseManifest(yaml: string): KubernetesObject[] {
  try {
    return parseFile(yaml)
  } catch (error) {
    throw firstError(yaml) ?? error
  }
}

/**
 * Returns the objects of a YAML stream of any origin, without the documents that are not objects of
 * Kubernetes, and the error of the first of those.
 */
export function readableObjects(yaml: string): {
  readonly objects: readonly KubernetesObject[]
  readonly fault?: string
} {
  try {
    return {objects: parseFile(yaml)}
  } catch (error) {
    const parts = yaml.split(DOCUMENT_START)
    const objects = parts.flatMap((part) => {
      try {
        return parseFile(part)
      } catch {
        return []
      }
    })
    return {objects, fault: asKkError(firstError(yaml) ?? error).message}
  }
}

/** The line that begins a document. */
const DOCUMENT_START = /^---(?=\s)/m

/**
 * Returns the readable objects with an annotation. Most manifests do not contain its name, and are not
 * parsed.
 */
export function annotatedObjects(yaml: string, annotation: string): readonly KubernetesObject[] {
  if (!yaml.includes(annotation)) return []
  const {objects} = readableObjects(yaml)
  return objects.filter(({metadata}) => metadata.annotations?.[annotation] !== undefined)
}

/**
 * Returns the objects of one rendered file of a chart, which errors name: `keystone/templates/job.yaml`.
 * Throws as `parseManifest`.
 */
function parseFile(yaml: string, file?: string): KubernetesObject[] {
  const documents = readYamlDocuments(yaml, {...(file !== undefined && {file})})
  return documents.flatMap((document) => documentObjects(document, file))
}

/** Returns the error of the first file that cannot be parsed on its own. */
function firstError(yaml: string): unknown {
  for (const part of yaml.split(DOCUMENT_START)) {
    const [, file, text = part] = /^\s*# Source: (.+)\n([\s\S]*)$/.exec(part) ?? []
    try {
      parseFile(text, file)
    } catch (error) {
      return error
    }
  }
  return undefined
}

/** An object and its file in the chart: `keystone/templates/job.yaml`. */
export interface RenderedObject {
  readonly object: KubernetesObject
  readonly file: string
}

/** The comment that helm writes above the objects of each file. */
const SOURCE_COMMENT = /^---\r?\n# Source: (.+?)\r?$/gm

/** Returns the objects in the output of `helm template`, with their files. Throws as `parseManifest`. */
export function renderedObjects(manifest: string): RenderedObject[] {
  // Split also returns the matches of the group: content, file, content, file, content.
  const [first = '', ...parts] = manifest.split(SOURCE_COMMENT)
  const objects = parseManifest(first).map((object) => ({object, file: ''}))
  for (let index = 0; index < parts.length; index += 2) {
    const file = parts[index]!
    for (const object of parseFile(parts[index + 1]!, file)) objects.push({object, file})
  }
  return objects
}

/** Returns the hooks of a revision, tests included. Throws the errors of `parseManifest`. */
export function hookObjects({hooks}: Pick<StoredRelease, 'hooks'>): KubernetesObject[] {
  return hooks.flatMap(parseManifest)
}

/** Returns the hooks of a revision that `helm test` runs. */
export function testHooks(stored: Pick<StoredRelease, 'hooks'>): KubernetesObject[] {
  return hookObjects(stored).filter(isTestHook)
}

/** The annotation of a test hook that uses the whole cloud, and its value. */
const TEST_ANNOTATION = 'kk.openstack.org/test'

/**
 * Returns true for a test hook that uses the whole cloud as a user does, not only the service of its chart.
 */
export function isUserTest({metadata}: Pick<KubernetesObject, 'metadata'>): boolean {
  return metadata.annotations?.[TEST_ANNOTATION] === 'user'
}

/** Returns all objects of a revision: its manifest, then its hooks. Neither contains `crds/`. */
export function storedObjects(stored: Pick<StoredRelease, 'manifest' | 'hooks'>): KubernetesObject[] {
  return [...parseManifest(stored.manifest), ...hookObjects(stored)]
}

/**
 * Returns the objects of a revision as helm would render them for an upgrade: without tests (Helm 4.2:
 * action.go, `--skip-tests`).
 */
export function upgradedObjects(stored: Pick<StoredRelease, 'manifest' | 'hooks'>): KubernetesObject[] {
  return [...parseManifest(stored.manifest), ...hookObjects(stored).filter((hook) => !isTestHook(hook))]
}

/** Returns the group of an apiVersion: "" for the core group, whose apiVersion is only a version. */
export function apiGroup(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
}

/**
 * Returns the key of an object on a cluster, the same for every version of its group. `namespace` is the
 * namespace of objects that name none.
 */
export function objectKey({apiVersion, kind, metadata}: KubernetesObject, namespace: string): string {
  return `${apiGroup(apiVersion)}/${kind}/${metadata.namespace ?? namespace}/${metadata.name}`
}

/** Returns e.g. `Deployment/keystone-api`. */
export function objectName({
  kind,
  metadata,
}: Pick<KubernetesObject, 'kind'> & {metadata: {name: string}}): string {
  return `${kind}/${metadata.name}`
}

function documentObjects(document: unknown, source: string | undefined): KubernetesObject[] {
  const notAnObject = (what: string) => noObject(what, source)
  if (document === null || document === undefined) return []
  if (!isMap(document))
    throw notAnObject(`it is ${Array.isArray(document) ? 'a list' : `a ${typeof document}`}`)
  const {apiVersion, kind, items, metadata} = document
  if (typeof apiVersion !== 'string') throw notAnObject('it has no apiVersion')
  if (typeof kind !== 'string') throw notAnObject('it has no kind')
  if (kind.endsWith('List') && Array.isArray(items)) {
    const annotations = isMap(metadata) && isMap(metadata.annotations) ? metadata.annotations : {}
    return items.flatMap((item) => documentObjects(item, source)).map((item) => underHead(item, annotations))
  }
  if (!isMap(metadata) || typeof metadata.name !== 'string')
    throw notAnObject(`a ${kind} has no metadata.name`)
  return [document as unknown as KubernetesObject]
}

function noObject(what: string, source = 'the chart'): KkError {
  return new KkError('KK_RENDER', `${source} renders a document that is not a Kubernetes object: ${what}`, {
    hint: 'render the chart with helm template to see the document',
  })
}
