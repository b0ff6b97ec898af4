import {KkError} from '../../base/errors.ts'
import {isMap, type Values} from '../../base/values.ts'
import {redactLines} from '../../redact/lines.ts'
import {readOnlyYaml} from '../../yaml/yaml.ts'

export interface KollaPasswords {
  /** By kk's name of the secret. */
  readonly secrets: readonly {readonly name: string; readonly value: string; readonly from: string}[]
  /** Names that kk does not use, sorted. */
  readonly unknown: readonly string[]
  /** Names without a value, sorted, as in kolla's template before `kolla-genpwd`. */
  readonly empty: readonly string[]
}

/** kolla-ansible's irregular names (etc/kolla/passwords.yml), and kk's names of the same secrets. */
const NAMES: Readonly<Record<string, string>> = {
  database_password: 'oslo_db.admin.password',
  keystone_database_password: 'oslo_db.keystone.password',
  keystone_admin_password: 'identity.admin.password',
  rabbitmq_password: 'oslo_messaging.admin.password',
  rabbitmq_cluster_cookie: 'oslo_messaging.erlang_cookie',
  memcache_secret_key: 'oslo_cache.memcache_secret_key',
  horizon_secret_key: 'dashboard.secret_key',
  cinder_rbd_secret_uuid: 'ceph.cinder.secret_uuid',
  metadata_secret: 'compute_metadata.shared_secret',
  barbican_crypto_key: 'barbican.simple_crypto_kek',
  valkey_master_password: 'coordination.admin.password',
}

/** kolla's regular names, per service: `glance_database_password`, `glance_keystone_password`. */
const RULES: readonly (readonly [RegExp, (service: string) => string])[] = [
  [/^([a-z]+)_database_password$/, (service) => `oslo_db.${service}.password`],
  [/^([a-z]+)_keystone_password$/, (service) => `identity.${service}.password`],
]

/** The prefix of what ansible-vault encrypts: a file, or one value. */
const VAULT = '$ANSIBLE_VAULT;'

/** Parses kolla's `passwords.yml`. Throws `KK_YAML`, also for encrypted values, without repeating a value. */
export function readKollaPasswords(text: string, file: string): KollaPasswords {
  const entries = Object.entries(passwordMap(text, file)).sort(([a], [b]) => (a < b ? -1 : 1))
  const recognized = entries.flatMap(([from, value]) => {
    const name = kkName(from)
    return name === undefined ? [] : [{name, from, value}]
  })
  const encrypted = recognized.flatMap(({from, value}) => (isEncrypted(value) ? from : []))
  if (encrypted.length > 0) throw encryptedValues(file, encrypted)
  const filled = recognized.filter(({value}) => hasValue(value))
  return {
    secrets: filled.map(({name, from, value}) => ({name, from, value: String(value)})),
    unknown: entries.map(([from]) => from).filter((from) => kkName(from) === undefined),
    empty: recognized.filter(({value}) => !hasValue(value)).map(({from}) => from),
  }
}

/** The minimum length in characters: shorter strings occur in many files. */
const MIN_PASSWORD_LENGTH = 6

/** Returns every password and key of such a file, whatever its use. Throws `KK_YAML`. */
export function kollaPasswordTexts(text: string, file: string): readonly string[] {
  const passwords = passwordMap(text, file)
  const encrypted = Object.keys(passwords).filter((name) => isEncrypted(passwords[name]))
  if (encrypted.length > 0) throw encryptedValues(file, encrypted)
  return textsIn(passwords).filter((each) => each.length >= MIN_PASSWORD_LENGTH)
}

function textsIn(value: unknown): readonly string[] {
  if (isMap(value)) return Object.values(value).flatMap(textsIn)
  return hasValue(value) ? [String(value).trim()] : []
}

function passwordMap(text: string, file: string): Values {
  if (isEncrypted(text)) throw encryptedFile(file)
  const passwords = readOnlyYaml(text, {file, duplicates: 'error'}) ?? {}
  if (isMap(passwords)) return passwords
  throw new KkError('KK_YAML', `${file}: expected a map of names and passwords, as kolla's passwords.yml is`)
}

function isEncrypted(value: unknown): boolean {
  return typeof value === 'string' && value.trimStart().startsWith(VAULT)
}

function encryptedFile(file: string): KkError {
  return new KkError('KK_YAML', `${file} is encrypted with ansible-vault: expected plain YAML`, {
    hint: `decrypt it with ansible-vault, here without a temporary file (bash, zsh): kk secrets import <(ansible-vault view ${file})`,
  })
}

function encryptedValues(file: string, names: readonly string[]): KkError {
  const message = `${file}: encrypted with ansible-vault, expected plain values: ${names.join(', ')}`
  return new KkError('KK_YAML', message, {
    hint: `print each with: ansible localhost --ask-vault-pass -e @${file} -m ansible.builtin.debug -a var=${names[0]}`,
  })
}

/** A name with dots is kk's own, for secrets that kolla has no name for. */
function kkName(from: string): string | undefined {
  if (from.includes('.')) return from
  if (Object.hasOwn(NAMES, from)) return NAMES[from]
  for (const [pattern, name] of RULES) {
    const [, service] = pattern.exec(from) ?? []
    if (service !== undefined) return name(service)
  }
  return undefined
}

function hasValue(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number'
}

/** Returns true for a string that contains a secret: one of these passwords, or what looks like one. */
export function isSecretText(text: string, passwords: readonly string[]): boolean {
  return passwords.some((password) => text.includes(password)) || redactLines(text) !== text
}
