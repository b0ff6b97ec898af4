import {mergeValues} from '../../base/merge.ts'
import {isMap, type Values} from '../../base/values.ts'
import {readYaml} from '../../yaml/yaml.ts'
import {VALUES_KEY} from './write.ts'

/** A Kubernetes object; its namespace defaults to that of Flux. */
export interface FluxObject {
  readonly file: string
  readonly key: string
  readonly name: string
  readonly namespace: string
  readonly object: Values
  readonly spec: Values
}

interface ReadContext {
  /** By kind, namespace and name: `Secret flux-system/keystone`. */
  readonly objects: ReadonlyMap<string, Pick<FluxObject, 'object'>>
  readonly showSecrets: boolean
}

/**
 * Returns the values of a HelmRelease: those of `valuesFrom` in order, then `values` (helm-controller:
 * internal/chartutil ChartValuesFromReferences). Calls `lose` for each reference that cannot be read. Throws
 * `KK_YAML`.
 */
export function mergedValues(
  of: string,
  {namespace, spec: {valuesFrom, values}}: Pick<FluxObject, 'namespace' | 'spec'>,
  {lose, ...among}: ReadContext & {readonly lose: (what: string) => void},
): Values {
  const references = Array.isArray(valuesFrom) ? valuesFrom.filter(isMap) : []
  const base = references.reduce<Values>((merged, reference) => {
    const read = referenceValues(namespace, reference, among)
    if (!('lost' in read)) return mergeValues(merged, read.values)
    const {kind, name, optional} = reference
    if (optional !== true || !read.isMissing)
      lose(`the values of ${of} from the ${kind} ${name}: ${read.lost}`)
    return merged
  }, {})
  return isMap(values) ? mergeValues(base, values) : base
}

type ReferenceValues = {readonly values: Values} | {readonly lost: string; readonly isMissing?: true}

function referenceValues(
  namespace: string,
  reference: Values,
  {objects, showSecrets}: ReadContext,
): ReferenceValues {
  const {kind, name, valuesKey = VALUES_KEY, targetPath} = reference
  if (targetPath !== undefined)
    return {
      lost: `set ${targetPath} to the value of ${valuesKey} by hand: kk import does not support targetPath`,
    }
  const holder = objects.get(`${kind} ${namespace}/${name}`)?.object
  if (holder === undefined) return {lost: 'it is not among the files', isMissing: true}
  if (holder.sops !== undefined) return {lost: 'it is encrypted with SOPS: decrypt it first'}
  const text = decodedData(holder)[String(valuesKey)]
  if (text === undefined) return {lost: `it has no key ${valuesKey}`, isMissing: true}
  if (kind === 'Secret' && !showSecrets) return {lost: '--show-secrets writes them'}
  const values = readYaml(text, {file: `${kind} ${name}`}) ?? {}
  return isMap(values) ? {values} : {lost: 'they are not a map'}
}

function decodedData({kind, data, stringData}: Values): Readonly<Record<string, string>> {
  const strings = Object.entries(isMap(data) ? data : {}).map(([key, text]) => {
    const isEncoded = kind === 'Secret'
    return [key, isEncoded ? Buffer.from(String(text), 'base64').toString() : String(text)]
  })
  return {
    ...Object.fromEntries(strings),
    ...(isMap(stringData) ? (stringData as Record<string, string>) : {}),
  }
}
