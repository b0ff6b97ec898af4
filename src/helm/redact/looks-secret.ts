import {holdsNames, isNameAt, isPartOfThing, isReference} from './secret-names.ts'

/** Words at the end of a key that say that its value is a secret, each also in the plural: `adminPassword`, `rootpw`. */
const SECRET_WORD =
  /(?:password|passwd|passphrase|secret|token|credential|cookie|keyring|fernet|psk|pwd|pw)s?$/
const PASS = /(?:^|_)(?:admin|bind|db|ldap|root|user)?pass$/
/** A key is secret by what it is for: `api_key`; but `topologyKey` and `public_key` are none. */
const SECRET_KEY =
  /(?:^|_)(?:access|account|admin|api|auth|aws|ceph|client|crypto|deploy|dsa|ecdsa|ed25519|encrypt|encryption|fernet|hmac|kek|license|master|private|rndc|root|rsa|secret|server|session|shared|signing|ssh|ssh_host|ssl|storage|tls|transport|tsig)_?keys?$/
/** All of a key. */
const SECRET_NAME = /^_?(?:keys?|keks?|auths|docker_?config_?json|dockercfg)$/
/** The endings of such a word: `password2`, `private_key_pem`. */
const FORM = /_?\d+$|_(?:b64|base64|base|contents?|current|data|hash|new|old|pem|plain|string|text|value)$/
/** Says how secrets are made and kept, not what they are: `token.provider`, `fernet_tokens.max_active_keys`. */
const SETTING =
  /^(?:allow|max|min)_|(?:^|_)(?:backend|cron|days|driver|enabled|expiration|port|provider|repository|seconds|time|ttl|window)$/
/** As shells call it. */
const WORKING_DIRECTORY = /^(?:OLD)?PWD$/
/** Sections of options that each speak for themselves: `keystone_authtoken.auth_url`. */
const SECTION = /(?:^|_)authtoken$/
/** Of a longer key the end says what it is. */
const LONGEST_KEY = 200
/** The value of an `authorization` that is no mode such as `RBAC`. */
const AUTHORIZATION = /^["']?(?:basic|bearer|digest|token)\s/i

/** A rule of oslo.policy, such as that of `identity:revoke_token`. */
const POLICY = /^\\?["']?\(?(?:not )?(?:rule|role|is_admin|system_scope|project_id|user_id|domain_id):/

/** Returns true for a key whose value is to be kept out of what people read. */
export function looksSecret(key: string): boolean {
  if (WORKING_DIRECTORY.test(key)) return false
  const words = wordsOf(key).replace(FORM, '')
  if (SETTING.test(words)) return false
  return [SECRET_WORD, PASS, SECRET_KEY, SECRET_NAME].some((pattern) => pattern.test(words))
}

/** Returns true for a place among values that looks secret: also below such a key, except for settings and names. */
export function looksSecretPath(path: readonly string[], value?: unknown): boolean {
  if (isNameAt(path, value) || isRule(value)) return false
  return path.reduce((isSecret, key, at) => {
    if (isReference(path[at - 1] ?? '', key)) return false
    if (isPartOfThing(path[at - 2] ?? '', key, at === path.length - 1 ? value : {})) return false
    const isOption = at < path.length - 1 && SECTION.test(wordsOf(key))
    return (isSecret && !isSetting(key)) || (looksSecret(key) && !isOption)
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
  const isSection = typeof value === 'object' && SECTION.test(words)
  return looksSecret(key) && !isSection
}

function isRule(value: unknown): boolean {
  return typeof value === 'string' && POLICY.test(value)
}

/** Returns true for a key that says how secrets are made and kept. */
export function isSetting(key: string): boolean {
  return SETTING.test(wordsOf(key))
}

/** `adminPassword`, `admin-password` and `ADMIN_PASSWORD` are `admin_password`. */
function wordsOf(key: string): string {
  return key
    .slice(-LONGEST_KEY)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase()
}
