import type {KubernetesObject} from '../../../cluster/cluster.ts'

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/**
 * A Secret as it may be shown: each value of `data` and `stringData` gives way to its length, with `changed` where the
 * same key of `before` holds something else. Any other object is returned as it is.
 */
export function masked(object: KubernetesObject, before: KubernetesObject | undefined): KubernetesObject {
  if (!isSecret(object)) return object
  const values = secretValues(object)
  const earlier = before === undefined ? new Map<string, Buffer>() : secretValues(before)
  const mask = (part: unknown) => maskedPart(part, values, earlier)
  return {
    ...object,
    metadata: maskedMetadata(object.metadata),
    ...('data' in object && {data: mask(object.data)}),
    ...('stringData' in object && {stringData: mask(object.stringData)}),
  }
}

/** kubectl keeps the whole object in an annotation. */
function maskedMetadata(metadata: KubernetesObject['metadata']): KubernetesObject['metadata'] {
  const {annotations} = metadata
  if (annotations?.[LAST_APPLIED] === undefined) return metadata
  return {...metadata, annotations: {...annotations, [LAST_APPLIED]: '(masked)'}}
}

function isSecret({apiVersion, kind}: KubernetesObject): boolean {
  return apiVersion === 'v1' && kind === 'Secret'
}

/** What the API server would keep: `stringData` wins over `data`. */
function secretValues({data, stringData}: KubernetesObject): ReadonlyMap<string, Buffer> {
  const values = new Map<string, Buffer>()
  for (const [key, value] of entries(data)) values.set(key, Buffer.from(String(value ?? ''), 'base64'))
  for (const [key, value] of entries(stringData)) values.set(key, Buffer.from(String(value ?? '')))
  return values
}

function maskedPart(
  part: unknown,
  values: ReadonlyMap<string, Buffer>,
  earlier: ReadonlyMap<string, Buffer>,
): unknown {
  const keys = entries(part).map(([key]) => key)
  return Object.fromEntries(keys.map((key) => [key, maskText(values.get(key), earlier.get(key))]))
}

function maskText(value: Buffer | undefined, earlier: Buffer | undefined): string {
  const bytes = value?.length ?? 0
  const changed = earlier !== undefined && value !== undefined && !earlier.equals(value)
  return `(masked, ${bytes} byte${bytes === 1 ? '' : 's'}${changed ? ', changed' : ''})`
}

function entries(part: unknown): readonly (readonly [string, unknown])[] {
  return typeof part === 'object' && part !== null ? Object.entries(part) : []
}
