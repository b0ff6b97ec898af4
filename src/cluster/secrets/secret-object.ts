import {KK_NAMESPACE} from '../lease/lease.ts'
import type {KeptSecret, SecretsByName} from './kept-secret.ts'

/** On each Secret that keeps generated passwords: the namespace of the releases that they are for. */
export const SECRETS_LABEL = 'kk.openstack.org/secrets-of'
/** Kind and age of each key, and marks of what it replaced, as JSON. */
const ABOUT = 'kk.openstack.org/secrets-about'

/** A Secret of the core API. */
export interface SecretObject {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly resourceVersion?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>
}

type About = Readonly<Record<string, Partial<Pick<KeptSecret, 'kind' | 'since' | 'former'>>>>

export function secretName(namespace: string): string {
  return `kk-secrets-${namespace}`
}

/** The Secret with all of a namespace; what others wrote on `found` stays. */
export function secretObject(
  namespace: string,
  secrets: SecretsByName,
  found: SecretObject | undefined,
): SecretObject {
  const about: About = Object.fromEntries(
    [...secrets].map(([name, {kind, since, former}]) => [name, {kind, since, former}]),
  )
  return {
    ...(found ?? {apiVersion: 'v1', kind: 'Secret', type: 'Opaque'}),
    metadata: {
      name: secretName(namespace),
      namespace: KK_NAMESPACE,
      ...found?.metadata,
      labels: {...found?.metadata.labels, [SECRETS_LABEL]: namespace},
      annotations: {...found?.metadata.annotations, [ABOUT]: JSON.stringify(about)},
    },
    data: Object.fromEntries(
      [...secrets].map(([name, {value}]) => [name, Buffer.from(value).toString('base64')]),
    ),
  }
}

/** What a Secret keeps, by name; nothing in one that is missing. */
export function secretsIn(secret: SecretObject | undefined): SecretsByName {
  const about = aboutIn(secret)
  return new Map(
    Object.entries(secret?.data ?? {}).map(([name, value]) => [
      name,
      {
        value: Buffer.from(value, 'base64').toString(),
        kind: about[name]?.kind,
        since: about[name]?.since,
        ...(about[name]?.former && {former: about[name].former}),
      },
    ]),
  )
}

/** Nothing where somebody wrote something else there: the values count, and are still there. */
function aboutIn(secret: SecretObject | undefined): About {
  try {
    const about: unknown = JSON.parse(secret?.metadata.annotations?.[ABOUT] ?? '{}')
    return typeof about === 'object' && about !== null ? (about as About) : {}
  } catch {
    return {}
  }
}
