import {looksSecret} from '../helm/redact/looks-secret.ts'
import {redactor} from '../helm/redact/redact.ts'
import type {Blame, Health, KubernetesObject} from './cluster.ts'

export type Redact = (text: string) => string

/**
 * A function that masks what the Secrets among these objects hold, in plain and as base64, and what `more` masks. Not the
 * names and common words beside a password, as in `OS_USERNAME: cinder`: objects are called so, too.
 */
export function redactSecretsOf(objects: readonly KubernetesObject[], more: Redact = (text) => text): Redact {
  const names = new Set(
    objects.flatMap(({metadata}) => wordsOf(`${metadata.name} ${metadata.namespace ?? ''}`)),
  )
  const isSecret = ({key, text}: Entry) => !isName({key, text, names})
  const secret = objects
    .filter(({kind}) => kind === 'Secret')
    .flatMap(({data, stringData}) => {
      const decoded = entries(data).map((entry) => ({
        ...entry,
        encoded: entry.text,
        text: decode(entry.text),
      }))
      return [
        ...decoded.filter(isSecret).flatMap(({encoded, text}) => [encoded, text]),
        ...entries(stringData)
          .filter(isSecret)
          .map(({text}) => text),
      ]
    })
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

/** Keys of what is no secret beside one: who asks for what. */
const NAME =
  /(?:^|_)(?:user|login|project|tenant|domain|region|interface|endpoint_?type|database|role)(?:_?name)?$/i
const WORD = /^[A-Za-z]+(?:[-_][A-Za-z]+)*$/
/** Words of any cloud, which hide nothing. */
const COMMON: ReadonlySet<string> = new Set([
  ...[
    'Default',
    'RegionOne',
    'account',
    'database',
    'default',
    'disabled',
    'enabled',
    'internal',
    'openstack',
  ],
  ...['password', 'public', 'secret', 'service', 'services', 'system'],
])

/** Whether a text is a name by its key, or a word that is common or part of a name that everybody sees. */
function isName({key, text, names}: {key: string; text: string; names: ReadonlySet<string>}): boolean {
  if (!WORD.test(text)) return false
  return NAME.test(key) || (!looksSecret(key) && (COMMON.has(text) || names.has(text)))
}

function wordsOf(name: string): string[] {
  return name.split(/[^A-Za-z]+/)
}

function decode(text: string): string {
  return Buffer.from(text, 'base64').toString()
}

interface Entry {
  readonly key: string
  readonly text: string
}

/** Whatever their keys are called, and also where the API server expects no map. */
function entries(data: unknown, key = ''): Entry[] {
  if (typeof data === 'string' || typeof data === 'number') return [{key, text: String(data)}]
  if (typeof data !== 'object' || data === null) return []
  return Object.entries(data).flatMap(([inner, value]) => entries(value, inner))
}
