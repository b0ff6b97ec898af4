import type {KubernetesObject} from './kubernetes-object.ts'
import {apiGroup} from './manifest.ts'

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const MAX_LABEL_LENGTH = 63
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const MAX_SUBDOMAIN_LENGTH = 253

/** Kinds whose names are one label of a domain. */
const LABEL_KINDS: ReadonlySet<string> = new Set(['/Namespace', '/Service'])
/** Groups whose names only need to be a path segment: `system:node`, `v1.example.org`, `fd00::1`. */
const ANY_NAME_GROUPS: ReadonlySet<string> = new Set([
  'rbac.authorization.k8s.io',
  'apiregistration.k8s.io',
  'certificates.k8s.io',
])
const ANY_NAME_KINDS: ReadonlySet<string> = new Set(['networking.k8s.io/IPAddress'])

/**
 * Returns the error that every API server reports for the name of an object or of its namespace, whatever the
 * rest of the object; undefined if there is none (apimachinery: pkg/api/validation/path and
 * pkg/util/validation).
 */
export function nameProblem({apiVersion, kind, metadata}: KubernetesObject): string | undefined {
  const {name, namespace} = metadata
  const group = apiGroup(apiVersion)
  if (name === '.' || name === '..' || /[/%]/.test(name))
    return `${namePrefix('name', name)} it must not be "." or "..", nor contain "/" or "%"`
  if (namespace !== undefined && !isLabel(namespace))
    return `${namePrefix('namespace', namespace)} ${LABEL_RULE}`
  if (ANY_NAME_GROUPS.has(group) || ANY_NAME_KINDS.has(`${group}/${kind}`)) return undefined
  if (LABEL_KINDS.has(`${group}/${kind}`))
    return isLabel(name) ? undefined : `${namePrefix('name', name)} ${LABEL_RULE}`
  const isSubdomain = name.length <= MAX_SUBDOMAIN_LENGTH && SUBDOMAIN.test(name)
  return isSubdomain ? undefined : `${namePrefix('name', name)} ${SUBDOMAIN_RULE}`
}

const LABEL_RULE = `it must have lower case letters, digits and "-", begin and end with a letter or a digit, and be no longer than ${MAX_LABEL_LENGTH} characters`
const SUBDOMAIN_RULE = `it must have lower case letters, digits, "-" and ".", begin and end with a letter or a digit, and be no longer than ${MAX_SUBDOMAIN_LENGTH} characters`

function isLabel(name: string): boolean {
  return name.length <= MAX_LABEL_LENGTH && LABEL.test(name)
}

function namePrefix(field: 'name' | 'namespace', value: string): string {
  return `metadata.${field}: ${JSON.stringify(value)} is no valid ${field}:`
}
