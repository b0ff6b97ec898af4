import {KkError} from '../errors.ts'
import {readYamlDocuments} from '../helm/yaml.ts'
import type {KubernetesObject} from './cluster.ts'

/**
 * The objects of a rendered YAML stream, with the items of Lists in their place; empty documents are passed over.
 * Throws `KK_RENDER` for a document that is not an object of Kubernetes, and what the YAML reader throws; both name the
 * chart and the file that the document comes from, where helm has written it above.
 */
export function parseManifest(yaml: string): KubernetesObject[] {
  try {
    return parseFile(yaml)
  } catch (error) {
    throw firstError(yaml) ?? error
  }
}

/** The objects of one file of a chart as it was rendered, which errors name: `keystone/templates/job.yaml`. Throws as `parseManifest`. */
export function parseFile(yaml: string, file?: string): KubernetesObject[] {
  const documents = readYamlDocuments(yaml, {...(file !== undefined && {file})})
  return documents.flatMap((document) => objectsOf(document, file))
}

/** What is wrong with the first file that is wrong, read for itself. */
function firstError(yaml: string): unknown {
  for (const part of yaml.split(/^---(?=\s)/m)) {
    const [, file, text = part] = /^\s*# Source: (.+)\n([\s\S]*)$/.exec(part) ?? []
    try {
      parseFile(text, file)
    } catch (error) {
      return error
    }
  }
  return undefined
}

/** E.g. `Deployment/keystone-api`. */
export function objectName({
  kind,
  metadata,
}: Pick<KubernetesObject, 'kind'> & {metadata: {name: string}}): string {
  return `${kind}/${metadata.name}`
}

function objectsOf(document: unknown, source: string | undefined): KubernetesObject[] {
  const notAnObject = (what: string) => noObject(what, source)
  if (document === null || document === undefined) return []
  if (!isMapping(document))
    throw notAnObject(`it is ${Array.isArray(document) ? 'a list' : `a ${typeof document}`}`)
  const {apiVersion, kind, items, metadata} = document
  if (typeof apiVersion !== 'string') throw notAnObject('it has no apiVersion')
  if (typeof kind !== 'string') throw notAnObject('it has no kind')
  if (kind.endsWith('List') && Array.isArray(items)) return items.flatMap((item) => objectsOf(item, source))
  if (!isMapping(metadata) || typeof metadata.name !== 'string')
    throw notAnObject(`a ${kind} has no metadata.name`)
  return [document as unknown as KubernetesObject]
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function noObject(what: string, source = 'the chart'): KkError {
  return new KkError('KK_RENDER', `${source} renders a document that is not a Kubernetes object: ${what}`, {
    hint: 'render the chart with helm template to see the document',
  })
}
