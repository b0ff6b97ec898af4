import type {Values} from '../base/values.ts'
import {looksSecret} from './looks-secret.ts'
import {type Redact, type RedactLeaf, redactor} from './redact.ts'

/** A Kubernetes object of a manifest. */
export interface ManifestObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {readonly name: string; readonly [key: string]: unknown}
  readonly [key: string]: unknown
}

/**
 * Returns a function that masks the content of the Secrets among these objects, in plain and as base64, and
 * everything that `more` masks. Names and common words next to a password, as in `OS_USERNAME: cinder`, are
 * not masked, because objects have the same names.
 */
export function redactSecretsOf(objects: readonly ManifestObject[], more: Redact = (text) => text): Redact {
  const hide = redactor({secret: secretContents(objects)})
  return (text) => hide(more(text))
}

/**
 * Returns a function that masks strings of these objects, and the secrets among `values`. A password that is
 * part of their names or images is masked only under a key that looks secret (`isSecret`) or after one:
 * masking it inside names would make them unreadable and hide nothing.
 */
export function redactObjects(objects: readonly ManifestObject[], values: Values): RedactLeaf {
  return redactor(
    {secret: secretContents(objects), values},
    new Set(objects.flatMap((object) => shownIn(object))),
  )
}

/** Returns the content of the Secrets among the objects, in plain and as base64. */
function secretContents(objects: readonly ManifestObject[]): readonly string[] {
  const names = new Set(
    objects.flatMap(({metadata}) => letterRuns(`${metadata.name} ${metadata.namespace ?? ''}`)),
  )
  const isSecret = ({key, text}: Entry) => !isName({key, text, names})
  return objects
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
}

/** Keys that identify what an object is or runs: names of objects, containers and volumes, and images. */
const SHOWN = /^(?:image|names?|namespace|\w+Name)$/
const LABELS: ReadonlySet<string> = new Set(['labels', 'matchLabels', 'selector'])
/** Keys whose values are file contents and not descriptions of the object. */
const CONTENT: ReadonlySet<string> = new Set(['binaryData', 'data', 'stringData'])

/** Returns the descriptive strings of an object, with all parts of them that could be masked as a secret. */
function shownIn(value: unknown, isShown = false): string[] {
  if (typeof value === 'string') return isShown ? wordRuns(value) : []
  if (Array.isArray(value)) return value.flatMap((item) => shownIn(item))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    if (CONTENT.has(key)) return []
    const isNaming = typeof inner === 'string' && SHOWN.test(key)
    return LABELS.has(key) ? labelsIn(inner) : shownIn(inner, isNaming)
  })
}

function labelsIn(labels: unknown): string[] {
  const texts = typeof labels === 'object' && labels !== null ? Object.values(labels) : []
  return texts.flatMap((text) => (typeof text === 'string' ? wordRuns(text) : shownIn(text)))
}

/** No name and no image has more words. */
const MAX_WORDS = 40

/** Returns all runs of words: `cinder`, `cinder-service` and `service` of `cinder-service`. */
function wordRuns(text: string): string[] {
  const words = [...text.matchAll(/[\p{L}\p{N}]+/gu)].slice(0, MAX_WORDS)
  const ends = words.map(({0: word, index}) => index + word.length)
  return [text, ...words.flatMap(({index}, at) => ends.slice(at).map((end) => text.slice(index, end)))]
}

/** Keys of connection settings that are not secret, such as users, projects and endpoints. */
const NAME =
  /(?:^|_)(?:user|login|project|tenant|domain|region|interface|endpoint_?type|database|role)(?:_?name)?$/i
const WORD = /^[A-Za-z]+(?:[-_][A-Za-z]+)*$/
/** Words of any cloud, which are not secret. */
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

/**
 * Returns true for a name, by its key, and for a word that is common or part of the objects' public names.
 */
function isName({key, text, names}: {key: string; text: string; names: ReadonlySet<string>}): boolean {
  if (!WORD.test(text)) return false
  return NAME.test(key) || (!looksSecret(key) && (COMMON.has(text) || names.has(text)))
}

function letterRuns(name: string): string[] {
  return name.split(/[^A-Za-z]+/)
}

function decode(text: string): string {
  return Buffer.from(text, 'base64').toString()
}

interface Entry {
  readonly key: string
  readonly text: string
}

/**
 * Returns all strings and numbers in data, with their keys, also if it is not the map that the API server
 * expects.
 */
function entries(data: unknown, key = ''): Entry[] {
  if (typeof data === 'string' || typeof data === 'number') return [{key, text: String(data)}]
  if (typeof data !== 'object' || data === null) return []
  return Object.entries(data).flatMap(([inner, value]) => entries(value, inner))
}
