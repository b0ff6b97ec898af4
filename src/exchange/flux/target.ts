import {createHash} from 'node:crypto'
import {digText} from '../../base/dig.ts'
import type {Values} from '../../base/values.ts'

/** The namespace of Flux; the default for objects without a namespace. */
export const CONTROL_NAMESPACE = 'flux-system'

/** The Helm release that a HelmRelease installs. */
export interface HelmReleaseTarget {
  readonly namespace: string
  readonly name: string
  /** The namespace of its Helm record. */
  readonly storage: string
}

/** helm-controller: api/v2 HelmRelease.GetReleaseName, GetReleaseNamespace, GetStorageNamespace. */
export function helmReleaseTarget(object: Values): HelmReleaseTarget {
  const own = digText(object, 'metadata', 'namespace') ?? CONTROL_NAMESPACE
  const target = digText(object, 'spec', 'targetNamespace')
  const name = digText(object, 'metadata', 'name') ?? ''
  const explicitName = digText(object, 'spec', 'releaseName')
  return {
    namespace: target ?? own,
    name: shortened(explicitName ?? (target === undefined ? name : `${target}-${name}`)),
    storage: digText(object, 'spec', 'storageNamespace') ?? own,
  }
}

/** helm-controller: internal/release ShortenName. */
function shortened(name: string): string {
  if (name.length <= 53) return name
  return `${name.slice(0, 40)}-${createHash('sha256').update(name).digest('hex').slice(0, 12)}`
}
