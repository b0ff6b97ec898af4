import {isMap} from '../../release.ts'
import {holdsNames, isNameAt, isPartOfThing, isReference} from './secret-names.ts'
import {SECRET_OPTIONS} from './secret-options.ts'

/** `adminPassword`, `admin-password` and `ADMIN_PASSWORD` are `admin_password`. */
const WORDS = [
  ['([a-z0-9])([A-Z])', '${1}_${2}'],
  ['([A-Z])([A-Z][a-z])', '${1}_${2}'],
  ['[^A-Za-z0-9]+', '_'],
] as const
/** Words at the end of a key that say that its value is a secret, each also in the plural: `adminPassword`, `rootpw`. */
const SECRET_WORD =
  '(?:password|passwd|passphrase|secret|token|bearer|credential|cookie|keyring|fernet|psk|pwd|pw)s?$'
const PASS = '(?:^|_)(?:admin|bind|db|ldap|root|user)?pass$'
/** What opens a vault: `approle_secret_id`. */
const SECRET_ID = '(?:^|_)(?:secret|token|approle_role)_id$'
/** A key is secret by what it is for: `api_key`; but `topologyKey` and `public_key` are none. */
const SECRET_KEY =
  '(?:^|_)(?:access|account|admin|api|auth|aws|ca|ceph|client|crypto|deploy|dsa|ecdsa|ed25519|encrypt|encryption|fernet|hmac|kek|license|master|private|rndc|root|rsa|secret|server|session|shared|signing|ssh|ssh_host|ssl|storage|tls|transport|tsig)_?keys?$'
/** All of a key. */
const SECRET_NAME = '^_?(?:keys?|keks?|auths|docker_?config_?json|dockercfg)$'

/**
 * What is secret by its name, if no list says it: for keys of values here, and for options in the charts' templates, which
 * are made of it (`npm run charts`). Each is a pattern of Go's RE2, too.
 */
export const SECRET_RULE = {
  /** What makes words of a key, each with what takes the place, as Go writes it; then all are lower case. */
  words: WORDS,
  /** The endings of such a word: `password2`, `private_key_pem`. */
  form: '_?[0-9]+$|_(?:b64|base64|base|contents?|current|data|hash|new|old|pem|plain|string|text|value)$',
  /** Says how secrets are made and kept, not what they are: `token.provider`, `fernet_tokens.max_active_keys`. */
  setting:
    '^(?:allow|max|min)_|(?:^|_)(?:backend|cron|days|driver|enabled|expiration|port|provider|repository|seconds|time|ttl|window)$',
  secret: [SECRET_WORD, PASS, SECRET_ID, SECRET_KEY, SECRET_NAME].join('|'),
} as const
const FORM = new RegExp(SECRET_RULE.form)
const SETTING = new RegExp(SECRET_RULE.setting)
const SECRET = new RegExp(SECRET_RULE.secret)
const TO_WORDS = WORDS.map(
  ([pattern, by]) => [new RegExp(pattern, 'g'), by.replace(/\{(\d)\}/g, '$1')] as const,
)

/** As shells call it. */
const WORKING_DIRECTORY = /^(?:OLD)?PWD$/
/** Sections of options that each speak for themselves: `keystone_authtoken.auth_url`. */
const SECTION = /(?:^|_)authtoken$/
/** Of a longer key the end says what it is. */
const LONGEST_KEY = 200
/** The value of an `authorization` that is no mode such as `RBAC`. */
const AUTHORIZATION = /^["']?(?:basic|bearer|digest|token)\s/i

/** An item of a list, as an option has several values: `{type: multistring, values: […]}`. */
const ITEM = /^(?:\d+|values)$/
/** A key below `private` is no name of a network, no host and no address. */
const LONG_WORD = /^(?=.*\d)(?=.*[A-Za-z])[\w+/=-]{16,}$|-----BEGIN /

/** A rule of oslo.policy, such as that of `identity:revoke_token`. */
const POLICY = /^\\?["']?\(?(?:not )?(?:rule|role|is_admin|system_scope|project_id|user_id|domain_id):/

/** Returns true for a key whose value is to be kept out of what people read. */
export function looksSecret(key: string): boolean {
  if (WORKING_DIRECTORY.test(key)) return false
  const words = wordsOf(key).replace(FORM, '')
  return !SETTING.test(words) && SECRET.test(words)
}

/** Returns true for an option that oslo.config calls secret, and whose name does not say so. Of a URL its password alone is, as in every text. */
export function isSecretOption(section: string, option: string, value: unknown): boolean {
  if (isMap(value) ? value.type !== 'multistring' : typeof value === 'string' && value.includes('://'))
    return false
  // As oslo.config writes it: `Connection: close` is a header.
  const name = option.replaceAll('-', '_')
  return SECRET_OPTIONS.has(name) || SECRET_OPTIONS.has(`${section}.${name}`)
}

/** Returns true for a place among values that looks secret: also below such a key, except for settings and names. */
export function looksSecretPath(path: readonly string[], value?: unknown): boolean {
  if (isNameAt(path, value) || isRule(value)) return false
  return path.reduce((isSecret, key, at) => {
    if (at === path.length - 1 && isPrivateKey(key, value)) return true
    if (isReference(path[at - 1] ?? '', key)) return false
    if (isPartOfThing(path[at - 2] ?? '', key, at === path.length - 1 ? value : {})) return false
    const isSection = at < path.length - 1 && SECTION.test(wordsOf(key))
    const isLast = at === path.length - 1 || ITEM.test(path[at + 1]!)
    if (isLast && isSecretOption(path[at - 1] ?? '', key, value)) return true
    return (isSecret && !isSetting(key)) || (looksSecret(key) && !isSection)
  }, false)
}

/** Returns true where a key and its value say that it is a secret, also as in `{name: DB_PASSWORD, value: …}`. */
export function saysSecret(key: string, value: unknown, around: object = {}): boolean {
  if (key === 'value' && 'name' in around && typeof around.name === 'string') {
    return saysSecret(around.name, value)
  }
  if (isRule(value) || holdsNames(key, value)) return false
  // Of a selector or a toleration: the key of a label. Of a volume: that of a Secret.
  if (key === 'key' && ('operator' in around || 'path' in around)) return false
  const words = wordsOf(key)
  if (words.endsWith('authorization')) return typeof value === 'string' && AUTHORIZATION.test(value)
  if (isPrivateKey(key, value) || isSecretOption('', key, value)) return true
  const isSection = typeof value === 'object' && SECTION.test(words)
  return looksSecret(key) && !isSection
}

function isPrivateKey(key: string, value: unknown): boolean {
  return wordsOf(key) === 'private' && typeof value === 'string' && LONG_WORD.test(value)
}

function isRule(value: unknown): boolean {
  return typeof value === 'string' && POLICY.test(value)
}

/** Returns true for a key that says how secrets are made and kept. */
export function isSetting(key: string): boolean {
  return SETTING.test(wordsOf(key))
}

function wordsOf(key: string): string {
  return TO_WORDS.reduce(
    (text, [pattern, by]) => text.replace(pattern, by),
    key.slice(-LONGEST_KEY),
  ).toLowerCase()
}
