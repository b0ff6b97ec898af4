import {isMap} from '../base/values.ts'

/** As charts name Secrets: words of letters, as no password and no key is made. */
export const SECRET_NAME = String.raw`^["']?[a-z]+(?:\d{1,2}[a-z]?)?(?:-[a-z]+(?:\d{1,2}[a-z]?)?)+["']?$`
const NAME = new RegExp(SECRET_NAME)
/** A part of a Kubernetes object that is referred to, with what it stands under: `imagePullSecrets: [{name: …}]`, `secret: {secretName: …}`. Go's RE2, too. */
export const REFERENCE = String.raw`KeyRef\.key$|(?:KeyRef|^secrets?|Secrets?)\.(?:name|namespace|secretName|items|defaultMode|optional)$`
const REFERENCES = new RegExp(REFERENCE)

/** Maps of things by their names, `volumes: {fernet-keys: {…}}`: a name says nothing of these parts of what it names. */
const THINGS: ReadonlySet<string> = new Set([
  ...['components', 'containers', 'cronjobs', 'env', 'init', 'initContainers', 'jobs', 'rbac', 'tests'],
  ...['variables', 'volumeMounts', 'volumes'],
])
const PARTS: ReadonlySet<string> = new Set([
  ...['apiGroups', 'args', 'command', 'configMap', 'env', 'image', 'mountPath', 'object', 'path', 'readOnly'],
  ...['resourceNames', 'resources', 'subPath', 'variables', 'verbs', 'volumes'],
])
/** Of a value among those of a chart: `identity.admin.password`. */
const PLACE = /^[a-z]\w*(?:\.\w+)+$/

/** Returns true for the name of a Secret. */
export function isSecretName(text: unknown): boolean {
  return typeof text === 'string' && NAME.test(text)
}

/**
 * Returns true where names of Secrets stand below a key, by service and user: openstack-helm's
 * `secrets: {identity: {admin: keystone-keystone-admin}}`, and `keyrings` among them.
 */
export function holdsNames(key: string, value: unknown): boolean {
  if (!isMap(value)) return false
  const inner = Object.values(value)
  if (inner.length === 0) return false
  if (key === 'keyrings') return inner.every(isTreeOfNames)
  return key === 'secrets' && inner.every((each) => isMap(each) && isTreeOfNames(each))
}

/** Returns true for the name of a Secret at a place below `secrets`. */
export function isNameAt(path: readonly string[], value: unknown): boolean {
  const at = path.indexOf('secrets')
  return at !== -1 && path.length - at >= 3 && isSecretName(value)
}

/** Returns true for a key below another that is part of a reference to an object: `secretKeyRef: {name: nova, key: DB_PASSWORD}`. */
export function isReference(under: string, key: string): boolean {
  return REFERENCES.test(`${under}.${key}`)
}

/** Returns true for a key that tells what a thing consists of, whatever its name: `KEYS_SECRET: {object: fernet-keys}` below `variables`. */
export function isPartOfThing(things: string, part: string, value: unknown): boolean {
  if (!THINGS.has(things)) return false
  if (part === 'secret') return things === 'volumes' && typeof value === 'string'
  if (part === 'credential') return typeof value === 'string' && PLACE.test(value)
  return PARTS.has(part)
}

function isTreeOfNames(value: unknown): boolean {
  return isMap(value) ? Object.values(value).every(isTreeOfNames) : isSecretName(value)
}
