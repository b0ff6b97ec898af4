import {KkError} from '../errors.ts'
import {readYamlDocuments} from '../helm/yaml.ts'
import type {KubernetesObject} from './cluster.ts'

/**
 * The objects of a rendered YAML stream, with the items of Lists in their place; empty documents are passed over.
 * Throws `KK_RENDER` for a document that is not an object of Kubernetes, and what the YAML reader throws.
 */
export function parseManifest(yaml: string): KubernetesObject[] {
  return readYamlDocuments(yaml).flatMap(objectsOf)
}

/** E.g. `Deployment/keystone-api`. */
export function objectName({
  kind,
  metadata,
}: Pick<KubernetesObject, 'kind'> & {metadata: {name: string}}): string {
  return `${kind}/${metadata.name}`
}

function objectsOf(document: unknown): KubernetesObject[] {
  if (document === null || document === undefined) return []
  if (!isMapping(document))
    throw notAnObject(`it is ${Array.isArray(document) ? 'a list' : `a ${typeof document}`}`)
  const {apiVersion, kind, items, metadata} = document
  if (typeof apiVersion !== 'string') throw notAnObject('it has no apiVersion')
  if (typeof kind !== 'string') throw notAnObject('it has no kind')
  if (kind.endsWith('List') && Array.isArray(items)) return items.flatMap(objectsOf)
  if (!isMapping(metadata) || typeof metadata.name !== 'string')
    throw notAnObject(`a ${kind} has no metadata.name`)
  return [document as unknown as KubernetesObject]
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function notAnObject(what: string): KkError {
  return new KkError('KK_RENDER', `the chart renders a document that is not a Kubernetes object: ${what}`, {
    hint: 'render the chart with helm template to see the document',
  })
}
