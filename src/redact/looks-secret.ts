import {isMap} from '../base/values.ts'
import {anyCase} from './any-case.ts'
import {holdsNames, isNameAt, isPartOfThing, isReference} from './secret-names.ts'
import {NOT_SECRET_OPTIONS, SECRET_OPTIONS} from './secret-options.ts'

/** Normalizes `adminPassword`, `admin-password` and `ADMIN_PASSWORD` to `admin_password`. */
const WORDS = [
  ['([a-z0-9])([A-Z])', '${1}_${2}'],
  ['([A-Z])([A-Z][a-z])', '${1}_${2}'],
  ['[^A-Za-z0-9]+', '_'],
] as const
/** Words at the end of a key whose value is a secret, each also in the plural: `adminPassword`, `rootpw`. */
const SECRET_WORD =
  '(?:password|passwd|passphrase|passcode|passkey|secret|token|bearer|credential|cookie|keyring|fernet|otp|psk|pwd|pw)s?$'
/** `basic_auth` contains a name and a password. */
const PASS = '(?:^|_)(?:(?:admin|bind|db|ldap|root|user)?pass|basic_auths?)$'
/** Ids that open a vault: `approle_secret_id`. */
const SECRET_ID = '(?:^|_)(?:secret|token|approle_role)_id$'
/** A key is secret by its purpose: `api_key`; but `topologyKey` and `public_key` are not. */
const SECRET_KEY =
  '(?:^|_)(?:access|account|admin|api|auth|aws|ca|ceph|client|crypto|deploy|dsa|ecdsa|ed25519|encrypt|encryption|fernet|hmac|kek|license|master|priv|private|rndc|root|rsa|secret|server|session|shared|signing|ssh|ssh_host|ssl|storage|tls|transport|tsig)_?keys?$'
/** Matches the whole name. */
const SECRET_NAME = '^_?(?:keys?|keks?|auths|docker_?config_?json|dockercfg)$'

/** A quick test: every name that is secret matches, in lower case. */
const HINT =
  'pass|pwd?|secret|token|bearer|credential|cookie|key(?:[^s]|s[^t]|s?$)|kek|fernet|otp|psk|auths|basic.?auth|authorization|docker|approle.?role.?id|private'
/** Settings of how secrets are generated and stored: `token.provider`, `fernet_tokens.max_active_keys`. */
const SETTING =
  '^(?:allow|max|min)_|(?:^|_)(?:backend|cron|days|driver|enabled|expiration|port|provider|repository|seconds|time|ttl|window)$'

/**
 * The rule that decides by name and value whether a value is secret, unless a list contains it: for keys of
 * values here, and for options in the charts' templates, which are generated from it (`npm run charts`). Each
 * pattern is also valid in Go's RE2.
 */
export const SECRET_RULE = {
  hint: HINT,
  /**
   * The patterns that split a key into words, with their replacements in Go's syntax; the result is
   * lower-cased.
   */
  words: WORDS,
  /** Endings that are removed from such a word: `password2`, `private_key_pem`. */
  form: '_?[0-9]+$|_(?:b64|base64|base|contents?|current|data|hash|new|old|pem|plain|string|text|value)$',
  setting: SETTING,
  secret: [SECRET_WORD, PASS, SECRET_ID, SECRET_KEY, SECRET_NAME].join('|'),
  /** Shell variables. */
  workingDirectory: '^(?:OLD)?PWD$',
  /** Sections whose options are evaluated one by one: `keystone_authtoken.auth_url`. */
  section: '(?:^|_)(?:authtoken|service_credentials)$',
  /** A rule of oslo.policy, such as that of `identity:revoke_token`. */
  policy: String.raw`^\\?["']?\(?(?:not )?(?:rule|role|is_admin|system_scope|project_id|user_id|domain_id):`,
  /** The value of an `authorization` header, in contrast to a mode such as `RBAC`. */
  authorization: String.raw`^["']?(?:${anyCase('basic|bearer|digest|token')})\s`,
  /** Keys such as `client_key`: if their value is a file path, it is not a secret. */
  keyFile: '(?:key|keyring)s?$',
  file: String.raw`^\\?["']?/(?:etc|home|mnt|opt|root|run|srv|usr|var)/[\w./-]*\\?["']?,?$`,
  /** The value of a key `private`, in contrast to the name of a network, a host or an address. */
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
/** Only the end of a longer key is evaluated. */
export const MAX_KEY_LENGTH = 200
/** A list index, or the key of an option with several values: `{type: multistring, values: […]}`. */
const ITEM = /^(?:\d+|values)$/

/** The context of a value: the key above its own, and the map that contains it. */
interface Surroundings {
  readonly section?: string
  readonly siblings?: object
}

/** The context of an option in a string, whose section is not known. */
export const FREE_TEXT: Surroundings = {section: '*'}

/** Returns true for a key whose value must be masked in output. */
export function looksSecret(key: string): boolean {
  if (!HINTS.test(key) || WORKING_DIRECTORY.test(key)) return false
  const words = normalizeKey(key).replace(FORM, '')
  return !SETTINGS.test(words) && SECRET.test(words)
}

/**
 * Returns true for an option that oslo.config marks as secret although its name does not look secret. In a
 * URL only the password is secret, as in every string.
 */
function isSecretOption(section: string, option: string, value: unknown): boolean {
  if (isMap(value) ? value.type !== 'multistring' : typeof value === 'string' && value.includes('://'))
    return false
  return isAmong(SECRET_OPTIONS, section, option) || isAmong(SECRET_OPTIONS, '', option)
}

/**
 * Returns true for a value that is not secret whatever its name: an option that oslo.config does not mark as
 * secret, or a rule of oslo.policy.
 */
export function isNeverSecret(section: string, key: string, value: unknown): boolean {
  return isAmong(NOT_SECRET_OPTIONS, section, key) || isRule(value)
}

/**
 * Returns true for an option of the list. Dashes become underscores, as in oslo.config; section '' matches by
 * name.
 */
function isAmong(options: ReadonlySet<string>, section: string, option: string): boolean {
  const name = option.replaceAll('-', '_')
  return options.has(section === '' ? name : `${section}.${name}`)
}

/**
 * Returns true for a path of values that looks secret, including paths below such a key, except settings and
 * names.
 */
export function looksSecretPath(path: readonly string[], value?: unknown): boolean {
  if (isNameAt(path, value) || isRule(value)) return false
  return path.reduce((isSecret, key, at) => {
    const isEnd = at === path.length - 1
    const section = path[at - 1] ?? ''
    if (isEnd && isPrivateKey(key, value)) return true
    if (isReference(section, key) || isAmong(NOT_SECRET_OPTIONS, section, key)) return false
    if (isPartOfThing(path[at - 2] ?? '', key, isEnd ? value : {})) return false
    const isSection = !isEnd && SECTIONS.test(normalizeKey(key))
    const isLast = isEnd || ITEM.test(path[at + 1]!)
    if (isLast && isSecretOption(section, key, value)) return true
    if (isSecret && !configuresSecrets(key)) return true
    return looksSecret(key) && !isSection && !(isEnd && isKeyFile(key, value))
  }, false)
}

/** Returns true if a key looks secret for this value, also as in `{name: DB_PASSWORD, value: …}`. */
export function namesSecret(
  key: string,
  value: unknown,
  {section = '', siblings = {}}: Surroundings = {},
): boolean {
  if (key === 'value' && 'name' in siblings && typeof siblings.name === 'string') {
    return namesSecret(siblings.name, value)
  }
  if (isNeverSecret(section, key, value) || holdsNames(key, value)) return false
  // In a selector or a toleration: the key of a label. In a volume: the key of a Secret.
  if (key === 'key' && ('operator' in siblings || 'path' in siblings)) return false
  const words = normalizeKey(key)
  if (words.endsWith('authorization')) return typeof value === 'string' && AUTHORIZATION.test(value)
  if (isPrivateKey(key, value) || isSecretOption(section, key, value)) return true
  const isSection = typeof value === 'object' && SECTIONS.test(words)
  return looksSecret(key) && !isSection && !isKeyFile(key, value)
}

function isPrivateKey(key: string, value: unknown): boolean {
  if (normalizeKey(key) !== 'private' || typeof value !== 'string') return false
  return /-----BEGIN /.test(value) || (LONG_WORD.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value))
}

/**
 * Returns true for a path of a key file. A key in base64 may begin with `/`, but not with a system directory.
 */
function isKeyFile(key: string, value: unknown): boolean {
  return typeof value === 'string' && FILE.test(value) && KEY_FILE.test(normalizeKey(key).replace(FORM, ''))
}

function isRule(value: unknown): boolean {
  return typeof value === 'string' && POLICY.test(value)
}

/** Returns true for a key that configures how secrets are generated and stored. */
export function configuresSecrets(key: string): boolean {
  return SETTINGS.test(normalizeKey(key))
}

function normalizeKey(key: string): string {
  const words = TO_WORDS.reduce((text, [pattern, by]) => text.replace(pattern, by), key)
  // The normalized words are ASCII, and the charts' templates count bytes.
  return words.slice(-MAX_KEY_LENGTH).toLowerCase()
}
