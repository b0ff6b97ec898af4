import {isMap, type Values} from '../../base/values.ts'
import {mergeValues} from '../../overrides/merge.ts'
import {readYaml} from '../../yaml/yaml.ts'
import {VALUES_KEY} from './write.ts'

/** An object of Kubernetes; its namespace is that of Flux where it states none. */
export interface Found {
  readonly file: string
  readonly key: string
  readonly name: string
  readonly namespace: string
  readonly object: Values
  readonly spec: Values
}

interface Among {
  /** By kind, namespace and name: `Secret flux-system/keystone`. */
  readonly objects: ReadonlyMap<string, Pick<Found, 'object'>>
  readonly showSecrets: boolean
}

/**
 * Returns the values of a HelmRelease: those of `valuesFrom` in order, then `values` (helm-controller: internal/chartutil
 * ChartValuesFromReferences). Calls `lose` with what cannot be read. Throws `KK_YAML`.
 */
export function valuesOf(
  of: string,
  {namespace, spec: {valuesFrom, values}}: Pick<Found, 'namespace' | 'spec'>,
  {lose, ...among}: Among & {readonly lose: (what: string) => void},
): Values {
  const references = Array.isArray(valuesFrom) ? valuesFrom.filter(isMap) : []
  const below = references.reduce<Values>((merged, reference) => {
    const read = referred(namespace, reference, among)
    if (!('lost' in read)) return mergeValues(merged, read.values)
    const {kind, name, optional} = reference
    if (optional !== true || !read.isMissing)
      lose(`the values of ${of} from the ${kind} ${name}: ${read.lost}`)
    return merged
  }, {})
  return isMap(values) ? mergeValues(below, values) : below
}

type Referred = {readonly values: Values} | {readonly lost: string; readonly isMissing?: true}

function referred(namespace: string, reference: Values, {objects, showSecrets}: Among): Referred {
  const {kind, name, valuesKey = VALUES_KEY, targetPath} = reference
  if (targetPath !== undefined)
    return {
      lost: `write the value of ${valuesKey} at ${targetPath} by hand, for kk import does not put values there`,
    }
  const holder = objects.get(`${kind} ${namespace}/${name}`)?.object
  if (holder === undefined) return {lost: 'it is not among the files', isMissing: true}
  if (holder.sops !== undefined) return {lost: 'SOPS has encrypted it: decrypt it first'}
  const text = dataOf(holder)[String(valuesKey)]
  if (text === undefined) return {lost: `it has no key ${valuesKey}`, isMissing: true}
  if (kind === 'Secret' && !showSecrets) return {lost: '--show-secrets writes them'}
  const values = readYaml(text, {file: `${kind} ${name}`}) ?? {}
  return isMap(values) ? {values} : {lost: 'they are no map'}
}

function dataOf({kind, data, stringData}: Values): Readonly<Record<string, string>> {
  const texts = Object.entries(isMap(data) ? data : {}).map(([key, text]) => {
    const isEncoded = kind === 'Secret'
    return [key, isEncoded ? Buffer.from(String(text), 'base64').toString() : String(text)]
  })
  return {...Object.fromEntries(texts), ...(isMap(stringData) ? (stringData as Record<string, string>) : {})}
}
