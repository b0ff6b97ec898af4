import {isMap} from '../base/values.ts'

/** The form of Secret names in charts: words of letters, unlike generated passwords and keys. */
export const SECRET_NAME = String.raw`^["']?[a-z]+(?:\d{1,2}[a-z]?)?(?:-[a-z]+(?:\d{1,2}[a-z]?)?)+["']?$`
const NAME = new RegExp(SECRET_NAME)
/**
 * Matches `parent.key` for keys of a reference to a Kubernetes object: `imagePullSecrets: [{name: …}]`,
 * `secret: {secretName: …}`. Valid in Go's RE2, too.
 */
export const REFERENCE = String.raw`KeyRef\.key$|(?:KeyRef|^secrets?|Secrets?)\.(?:name|namespace|secretName|items|defaultMode|optional)$`
const REFERENCES = new RegExp(REFERENCE)

/**
 * Maps of items by name, such as `volumes: {fernet-keys: {…}}`: the name does not make `PARTS` of an item
 * secret.
 */
const THINGS: ReadonlySet<string> = new Set([
  ...['components', 'containers', 'cronjobs', 'env', 'init', 'initContainers', 'jobs', 'rbac', 'tests'],
  ...['variables', 'volumeMounts', 'volumes'],
])
const PARTS: ReadonlySet<string> = new Set([
  ...['apiGroups', 'args', 'command', 'configMap', 'env', 'image', 'mountPath', 'object', 'path', 'readOnly'],
  ...['resourceNames', 'resources', 'subPath', 'variables', 'verbs', 'volumes'],
])
/** The dotted path of a chart value: `identity.admin.password`. */
const PLACE = /^[a-z]\w*(?:\.\w+)+$/

/** Returns true for a string in the form of a Secret name. */
export function isSecretName(text: unknown): boolean {
  return typeof text === 'string' && NAME.test(text)
}

/**
 * Returns true if the values below a key are names of Secrets, by service and user: openstack-helm's
 * `secrets: {identity: {admin: keystone-keystone-admin}}`, including `keyrings`.
 */
export function holdsNames(key: string, value: unknown): boolean {
  if (!isMap(value)) return false
  const inner = Object.values(value)
  if (inner.length === 0) return false
  if (key === 'keyrings') return inner.every(isTreeOfNames)
  return key === 'secrets' && inner.every((each) => isMap(each) && isTreeOfNames(each))
}

/** Returns true for a Secret name at a path below `secrets`. */
export function isNameAt(path: readonly string[], value: unknown): boolean {
  const at = path.indexOf('secrets')
  return at !== -1 && path.length - at >= 3 && isSecretName(value)
}

/**
 * Returns true for a key that, below its parent key, is part of a reference to an object:
 * `secretKeyRef: {name: nova, key: DB_PASSWORD}`.
 */
export function isReference(under: string, key: string): boolean {
  return REFERENCES.test(`${under}.${key}`)
}

/**
 * Returns true for a key that is a component of an item whatever the name of the item:
 * `KEYS_SECRET: {object: fernet-keys}` below `variables`.
 */
export function isPartOfThing(things: string, part: string, value: unknown): boolean {
  if (!THINGS.has(things)) return false
  if (part === 'secret') return things === 'volumes' && typeof value === 'string'
  if (part === 'credential') return typeof value === 'string' && PLACE.test(value)
  return PARTS.has(part)
}

function isTreeOfNames(value: unknown): boolean {
  return isMap(value) ? Object.values(value).every(isTreeOfNames) : isSecretName(value)
}
