import {isMap} from '../base/values.ts'
import {holdsNames, isNameAt, isPartOfThing, isReference} from './secret-names.ts'
import {NOT_SECRET_OPTIONS, SECRET_OPTIONS} from './secret-options.ts'

/** `adminPassword`, `admin-password` and `ADMIN_PASSWORD` are `admin_password`. */
const WORDS = [
  ['([a-z0-9])([A-Z])', '${1}_${2}'],
  ['([A-Z])([A-Z][a-z])', '${1}_${2}'],
  ['[^A-Za-z0-9]+', '_'],
] as const
/** Words at the end of a key that say that its value is a secret, each also in the plural: `adminPassword`, `rootpw`. */
const SECRET_WORD =
  '(?:password|passwd|passphrase|passcode|passkey|secret|token|bearer|credential|cookie|keyring|fernet|otp|psk|pwd|pw)s?$'
/** `basic_auth` has a name and a password. */
const PASS = '(?:^|_)(?:(?:admin|bind|db|ldap|root|user)?pass|basic_auths?)$'
/** What opens a vault: `approle_secret_id`. */
const SECRET_ID = '(?:^|_)(?:secret|token|approle_role)_id$'
/** A key is secret by what it is for: `api_key`; but `topologyKey` and `public_key` are none. */
const SECRET_KEY =
  '(?:^|_)(?:access|account|admin|api|auth|aws|ca|ceph|client|crypto|deploy|dsa|ecdsa|ed25519|encrypt|encryption|fernet|hmac|kek|license|master|priv|private|rndc|root|rsa|secret|server|session|shared|signing|ssh|ssh_host|ssl|storage|tls|transport|tsig)_?keys?$'
/** All of a key. */
const SECRET_NAME = '^_?(?:keys?|keks?|auths|docker_?config_?json|dockercfg)$'

/** What is secret by its name has one of these, in lower case. */
const HINT =
  'pass|pwd?|secret|token|bearer|credential|cookie|key(?:[^s]|s[^t]|s?$)|kek|fernet|otp|psk|auths|basic.?auth|authorization|docker|approle.?role.?id|private'
/** Says how secrets are made and kept, not what they are: `token.provider`, `fernet_tokens.max_active_keys`. */
const SETTING =
  '^(?:allow|max|min)_|(?:^|_)(?:backend|cron|days|driver|enabled|expiration|port|provider|repository|seconds|time|ttl|window)$'

/**
 * What is secret by its name and value, if no list says it: for keys of values here, and for options in the charts' templates, which
 * are made of it (`npm run charts`). Each is a pattern of Go's RE2, too.
 */
export const SECRET_RULE = {
  hint: HINT,
  /** What makes words of a key, each with what takes the place, as Go writes it; then all are lower case. */
  words: WORDS,
  /** The endings of such a word: `password2`, `private_key_pem`. */
  form: '_?[0-9]+$|_(?:b64|base64|base|contents?|current|data|hash|new|old|pem|plain|string|text|value)$',
  setting: SETTING,
  secret: [SECRET_WORD, PASS, SECRET_ID, SECRET_KEY, SECRET_NAME].join('|'),
  /** As shells call it. */
  workingDirectory: '^(?:OLD)?PWD$',
  /** Sections of options that each speak for themselves: `keystone_authtoken.auth_url`. */
  section: '(?:^|_)(?:authtoken|service_credentials)$',
  /** A rule of oslo.policy, such as that of `identity:revoke_token`. */
  policy: String.raw`^\\?["']?\(?(?:not )?(?:rule|role|is_admin|system_scope|project_id|user_id|domain_id):`,
  /** The value of an `authorization` that is no mode such as `RBAC`. */
  authorization: String.raw`^["']?(?i:basic|bearer|digest|token)\s`,
  /** Of `client_key`, whose words end so, a file is no secret. */
  keyFile: '(?:key|keyring)s?$',
  file: String.raw`^\\?["']?/(?:etc|home|mnt|opt|root|run|srv|usr|var)/[\w./-]*\\?["']?,?$`,
  /** A key below `private` is no name of a network, no host and no address. */
  longWord: String.raw`^[\w+/=-]{16,}$`,
} as const
const [HINTS, FORM, SETTINGS, SECRET, SECTIONS] = [
  new RegExp(HINT, 'i'),
  ...[SECRET_RULE.form, SETTING, SECRET_RULE.secret, SECRET_RULE.section].map((rule) => new RegExp(rule)),
] as [RegExp, RegExp, RegExp, RegExp, RegExp]
const WORKING_DIRECTORY = new RegExp(SECRET_RULE.workingDirectory)
const POLICY = new RegExp(SECRET_RULE.policy)
const AUTHORIZATION = new RegExp(SECRET_RULE.authorization)
const KEY_FILE = new RegExp(SECRET_RULE.keyFile)
const FILE = new RegExp(SECRET_RULE.file)
const LONG_WORD = new RegExp(SECRET_RULE.longWord)
const TO_WORDS = WORDS.map(
  ([pattern, by]) => [new RegExp(pattern, 'g'), by.replace(/\{(\d)\}/g, '$1')] as const,
)
/** Of a longer key the end says what it is. */
export const LONGEST_KEY = 200
/** An item of a list, as an option has several values: `{type: multistring, values: […]}`. */
const ITEM = /^(?:\d+|values)$/

/** What stands around a value: the key above its own, and the map that has it. */
interface Surroundings {
  readonly section?: string
  readonly around?: object
}

/** Of an option in a text, whose section is not known. */
export const IN_TEXT: Surroundings = {section: '*'}

/** Returns true for a key whose value is to be kept out of what people read. */
export function looksSecret(key: string): boolean {
  if (!HINTS.test(key) || WORKING_DIRECTORY.test(key)) return false
  const words = wordsOf(key).replace(FORM, '')
  return !SETTINGS.test(words) && SECRET.test(words)
}

/**
 * Returns true for an option that oslo.config calls secret, and whose name does not say so. Of a URL its password alone is, as in
 * every text.
 */
function isSecretOption(section: string, option: string, value: unknown): boolean {
  if (isMap(value) ? value.type !== 'multistring' : typeof value === 'string' && value.includes('://'))
    return false
  return isAmong(SECRET_OPTIONS, section, option) || isAmong(SECRET_OPTIONS, '', option)
}

/** Returns true for a value that is none whatever its name: of an option that oslo.config knows as none, or a rule of oslo.policy. */
export function isNoSecret(section: string, key: string, value: unknown): boolean {
  return isAmong(NOT_SECRET_OPTIONS, section, key) || isRule(value)
}

/** As oslo.config writes it: `Connection: close` is a header. */
function isAmong(options: ReadonlySet<string>, section: string, option: string): boolean {
  const name = option.replaceAll('-', '_')
  return options.has(section === '' ? name : `${section}.${name}`)
}

/** Returns true for a place among values that looks secret: also below such a key, except for settings and names. */
export function looksSecretPath(path: readonly string[], value?: unknown): boolean {
  if (isNameAt(path, value) || isRule(value)) return false
  return path.reduce((isSecret, key, at) => {
    const isEnd = at === path.length - 1
    const section = path[at - 1] ?? ''
    if (isEnd && isPrivateKey(key, value)) return true
    if (isReference(section, key) || isAmong(NOT_SECRET_OPTIONS, section, key)) return false
    if (isPartOfThing(path[at - 2] ?? '', key, isEnd ? value : {})) return false
    const isSection = !isEnd && SECTIONS.test(wordsOf(key))
    const isLast = isEnd || ITEM.test(path[at + 1]!)
    if (isLast && isSecretOption(section, key, value)) return true
    if (isSecret && !isSetting(key)) return true
    return looksSecret(key) && !isSection && !(isEnd && isKeyFile(key, value))
  }, false)
}

/** Returns true where a key and its value say that it is a secret, also as in `{name: DB_PASSWORD, value: …}`. */
export function saysSecret(
  key: string,
  value: unknown,
  {section = '', around = {}}: Surroundings = {},
): boolean {
  if (key === 'value' && 'name' in around && typeof around.name === 'string') {
    return saysSecret(around.name, value)
  }
  if (isNoSecret(section, key, value) || holdsNames(key, value)) return false
  // Of a selector or a toleration: the key of a label. Of a volume: that of a Secret.
  if (key === 'key' && ('operator' in around || 'path' in around)) return false
  const words = wordsOf(key)
  if (words.endsWith('authorization')) return typeof value === 'string' && AUTHORIZATION.test(value)
  if (isPrivateKey(key, value) || isSecretOption(section, key, value)) return true
  const isSection = typeof value === 'object' && SECTIONS.test(words)
  return looksSecret(key) && !isSection && !isKeyFile(key, value)
}

function isPrivateKey(key: string, value: unknown): boolean {
  if (wordsOf(key) !== 'private' || typeof value !== 'string') return false
  return /-----BEGIN /.test(value) || (LONG_WORD.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value))
}

/** A key in base64 may begin with a `/`, but not with a directory of a system. */
function isKeyFile(key: string, value: unknown): boolean {
  return typeof value === 'string' && FILE.test(value) && KEY_FILE.test(wordsOf(key).replace(FORM, ''))
}

function isRule(value: unknown): boolean {
  return typeof value === 'string' && POLICY.test(value)
}

/** Returns true for a key that says how secrets are made and kept. */
export function isSetting(key: string): boolean {
  return SETTINGS.test(wordsOf(key))
}

function wordsOf(key: string): string {
  const words = TO_WORDS.reduce((text, [pattern, by]) => text.replace(pattern, by), key)
  // As words they are ASCII: the templates count bytes.
  return words.slice(-LONGEST_KEY).toLowerCase()
}
