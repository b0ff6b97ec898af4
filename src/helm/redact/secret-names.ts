/** As charts name Secrets: words of letters, as no password and no key is made. */
const NAME = /^["']?[a-z]+(?:\d{1,2}[a-z]?)?(?:-[a-z]+(?:\d{1,2}[a-z]?)?)+["']?$/
/** Of a Kubernetes object that is referred to: `imagePullSecrets: [{name: …}]`, `secret: {secretName: …}`. */
const NAMING: ReadonlySet<string> = new Set(['name', 'namespace', 'secretName', 'defaultMode', 'optional'])

/** Whether a text is the name of a Secret. */
export function isSecretName(text: unknown): boolean {
  return typeof text === 'string' && NAME.test(text)
}

/**
 * Whether what stands below a key are names of Secrets, by service and user: openstack-helm's
 * `secrets: {identity: {admin: keystone-keystone-admin}}`, and `keyrings` among them.
 */
export function holdsNames(key: string, value: unknown): boolean {
  if (!isMap(value)) return false
  const inner = Object.values(value)
  if (inner.length === 0) return false
  if (key === 'keyrings') return inner.every(isTreeOfNames)
  return key === 'secrets' && inner.every((each) => isMap(each) && isTreeOfNames(each))
}

/** The same of one text at a place. */
export function isNameAt(path: readonly string[], value: unknown): boolean {
  const at = path.indexOf('secrets')
  return at !== -1 && path.length - at >= 3 && isSecretName(value)
}

/** Whether a key below another is part of a reference to an object: `secretKeyRef: {name: nova, key: DB_PASSWORD}`. */
export function isReference(under: string, key: string): boolean {
  if (/KeyRef$/.test(under)) return key === 'key' || NAMING.has(key)
  return /(?:^s|S)ecrets?$/.test(under) && NAMING.has(key)
}

function isTreeOfNames(value: unknown): boolean {
  return isMap(value) ? Object.values(value).every(isTreeOfNames) : isSecretName(value)
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
