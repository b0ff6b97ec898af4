import {redactor} from '../helm/redact/redact.ts'
import type {Blame, Health, KubernetesObject} from './cluster.ts'

export type Redact = (text: string) => string

/** A function that masks what the Secrets among these objects hold, in plain and as base64, and what `more` masks. */
export function redactSecretsOf(objects: readonly KubernetesObject[], more: Redact = (text) => text): Redact {
  const secrets = objects.filter((object) => object.kind === 'Secret')
  const secret = secrets.map(({data, stringData}) => [texts(data), decoded(data), texts(stringData)])
  const hide = redactor({secret})
  return (text) => hide(more(text))
}

/** What a container says at its end, and in its log, is its own text: it may hold anything. */
export function redactBlame(blame: Blame, redact: Redact): Blame {
  const {message, detail, log} = blame
  return {
    ...blame,
    message: redact(message),
    ...(detail && {detail: redact(detail)}),
    ...(log && {log: log.map(redact)}),
  }
}

export function redactHealth(health: Health, redact: Redact): Health {
  if (health.state === 'healthy') return health
  return {...health, blames: health.blames.map((blame) => redactBlame(blame, redact))}
}

function decoded(data: unknown): string[] {
  return texts(data).map((text) => Buffer.from(text, 'base64').toString())
}

/** Whatever their keys are called, and also where the API server expects no map. */
function texts(data: unknown): string[] {
  if (typeof data === 'string' || typeof data === 'number') return [String(data)]
  if (typeof data !== 'object' || data === null) return []
  return Object.values(data).flatMap(texts)
}
