import type {KubernetesObject} from './kubernetes-object.ts'
import {apiGroup} from './manifest.ts'

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const LABEL_LENGTH = 63
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const SUBDOMAIN_LENGTH = 253

/** Kinds whose names are one label of a domain. */
const LABELS: ReadonlySet<string> = new Set(['/Namespace', '/Service'])
/** Groups whose names need only be part of a path: `system:node`, `v1.example.org`, `fd00::1`. */
const ANY_NAME: ReadonlySet<string> = new Set([
  'rbac.authorization.k8s.io',
  'apiregistration.k8s.io',
  'certificates.k8s.io',
])
const ANY_NAMED_KINDS: ReadonlySet<string> = new Set(['networking.k8s.io/IPAddress'])

/**
 * Returns the fault that every API server finds in the name of an object or of its namespace, whatever else the object
 * holds; undefined if there is none (apimachinery: pkg/api/validation/path and pkg/util/validation).
 */
export function nameProblem({apiVersion, kind, metadata}: KubernetesObject): string | undefined {
  const {name, namespace} = metadata
  const group = apiGroup(apiVersion)
  if (name === '.' || name === '..' || /[/%]/.test(name))
    return `${shown('name', name)} it must not be "." or "..", nor contain "/" or "%"`
  if (namespace !== undefined && !isLabel(namespace)) return `${shown('namespace', namespace)} ${LABEL_RULE}`
  if (ANY_NAME.has(group) || ANY_NAMED_KINDS.has(`${group}/${kind}`)) return undefined
  if (LABELS.has(`${group}/${kind}`))
    return isLabel(name) ? undefined : `${shown('name', name)} ${LABEL_RULE}`
  const isSubdomain = name.length <= SUBDOMAIN_LENGTH && SUBDOMAIN.test(name)
  return isSubdomain ? undefined : `${shown('name', name)} ${SUBDOMAIN_RULE}`
}

const LABEL_RULE = `it must have lower case letters, digits and "-", begin and end with a letter or a digit, and be no longer than ${LABEL_LENGTH} characters`
const SUBDOMAIN_RULE = `it must have lower case letters, digits, "-" and ".", begin and end with a letter or a digit, and be no longer than ${SUBDOMAIN_LENGTH} characters`

function isLabel(name: string): boolean {
  return name.length <= LABEL_LENGTH && LABEL.test(name)
}

function shown(field: 'name' | 'namespace', value: string): string {
  return `metadata.${field}: ${JSON.stringify(value)} is no valid ${field}:`
}
