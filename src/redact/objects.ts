import type {Values} from '../base/values.ts'
import {looksSecret} from './looks-secret.ts'
import {type Redact, type RedactLeaf, redactor} from './redact.ts'

/** An object of Kubernetes as a manifest has it. */
export interface ManifestObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {readonly name: string; readonly [key: string]: unknown}
  readonly [key: string]: unknown
}

/**
 * Returns a function that masks what the Secrets among these objects hold, in plain and as base64, and what `more` masks. Not the
 * names and common words beside a password, as in `OS_USERNAME: cinder`: objects are called so, too.
 */
export function redactSecretsOf(objects: readonly ManifestObject[], more: Redact = (text) => text): Redact {
  const hide = redactor({secret: secretsOf(objects)})
  return (text) => hide(more(text))
}

/**
 * Returns a function that masks texts of these objects themselves, and what is secret among `values`: a password that is a
 * word of their names or images is masked only under a key that looks secret, given with `isSecret`, or behind one. A name with a hole in it hides nothing.
 */
export function redactObjects(objects: readonly ManifestObject[], values: Values): RedactLeaf {
  return redactor({secret: secretsOf(objects), values}, new Set(objects.flatMap((object) => shownIn(object))))
}

/** The texts that the Secrets among the objects hold, in plain and as base64. */
function secretsOf(objects: readonly ManifestObject[]): readonly string[] {
  const names = new Set(
    objects.flatMap(({metadata}) => wordsOf(`${metadata.name} ${metadata.namespace ?? ''}`)),
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

/** Keys that tell what a thing is, and what it runs: names of objects, containers and volumes, and images. */
const SHOWN = /^(?:image|names?|namespace|\w+Name)$/
const LABELS: ReadonlySet<string> = new Set(['labels', 'matchLabels', 'selector'])
/** Keys whose values are no more of an object's own than a file is of its directory. */
const CONTENT: ReadonlySet<string> = new Set(['binaryData', 'data', 'stringData'])

/** All that an object shows of itself: each of those texts, and each part of one that a mask could take for a text. */
function shownIn(value: unknown, isShown = false): string[] {
  if (typeof value === 'string') return isShown ? partsOf(value) : []
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
  return texts.flatMap((text) => (typeof text === 'string' ? partsOf(text) : shownIn(text)))
}

/** No name and no image has more words. */
const MOST_WORDS = 40

/** From any word to any other: `cinder`, `cinder-service` and `service` of `cinder-service`. */
function partsOf(text: string): string[] {
  const words = [...text.matchAll(/[\p{L}\p{N}]+/gu)].slice(0, MOST_WORDS)
  const ends = words.map(({0: word, index}) => index + word.length)
  return [text, ...words.flatMap(({index}, at) => ends.slice(at).map((end) => text.slice(index, end)))]
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

/** Returns true for a text that is a name by its key, or a word that is common or part of a name that everybody sees. */
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
