import {KK_NAMESPACE} from '../../lease/lease.ts'
import type {KubernetesObject} from '../../manifest/kubernetes-object.ts'
import {BINDINGS, GUARD_NAME, POLICIES, UNTIL_LABEL} from '../names.ts'
import {APPROVAL_KEY, CLAIM_KEY, RELEASE_KEY, STAMP_KEY} from '../parameters.ts'

/** The variables of the expressions, each with its CEL, which may use the variables above it. */
const VARIABLES = {
  kind: 'request.resource.resource',
  subject: "request.operation == 'CREATE' ? object : oldObject",
  annotations: 'variables.subject.metadata.?annotations.orValue({})',
  labels: 'variables.subject.metadata.?labels.orValue({})',
  // The deletion of a namespace was allowed when it began; a denial of its objects would only block it.
  isGoing: [
    'has(variables.subject.metadata.deletionTimestamp)',
    '(namespaceObject != null && has(namespaceObject.metadata.deletionTimestamp))',
  ].join(' || '),
  // Helm first marks the last record as uninstalling, then deletes all objects, then the records (Helm 4.2:
  // uninstall.go).
  isRecord: [
    "variables.subject.?type.orValue('') == 'helm.sh/release.v1'",
    "variables.labels[?'status'].orValue('') == 'deployed'",
    "(request.operation == 'DELETE' || object.metadata.?labels[?'status'].orValue('').startsWith('uninstall'))",
  ].join(' && '),
  // Not in a dry run, because kk validates hooks before it deploys. Helm reads events without regard to case
  // and spaces (Helm 4.2: manifest_sorter.go).
  isHook: [
    '!request.?dryRun.orValue(false)',
    "variables.annotations[?'helm.sh/hook'].orValue('').split(',').exists(event, event.trim().lowerAscii() == 'pre-delete')",
  ].join(' && '),
  isKept: `!variables.isGoing && (${[
    "variables.kind in ['statefulsets', 'persistentvolumeclaims', 'namespaces']",
    "(variables.kind == 'secrets' && variables.isRecord)",
    "(request.operation == 'CREATE' && variables.isHook)",
  ].join(' || ')})`,
  home: [
    "variables.kind == 'namespaces' ? variables.subject.metadata.name",
    "variables.annotations[?'meta.helm.sh/release-namespace'].orValue(request.namespace)",
  ].join(' : '),
  // A StatefulSet names its claims <template>-<statefulset>-<ordinal>, and they have no label of helm.
  claimKey: [
    "variables.kind == 'persistentvolumeclaims' && variables.subject.metadata.name.matches('-[0-9]+$')",
    `? '${CLAIM_KEY}' + request.namespace + '.' + variables.subject.metadata.name.substring(0, variables.subject.metadata.name.lastIndexOf('-'))`,
    ": ''",
  ].join(' '),
  release: [
    "variables.kind == 'secrets' ? variables.labels[?'name'].orValue('')",
    "'meta.helm.sh/release-name' in variables.annotations ? variables.annotations['meta.helm.sh/release-name']",
    'variables.claimKey in params.data ? params.data[variables.claimKey]',
    "variables.labels[?'app.kubernetes.io/instance'].orValue('')",
  ].join(' : '),
  /** The protected releases that the request would harm, as keys `namespace.name`. */
  harmed: [
    '!variables.isKept ? []',
    `variables.kind == 'namespaces' ? params.data.filter(key, key.startsWith('${RELEASE_KEY}' + variables.home + '.')).map(key, key.substring(${RELEASE_KEY.length}))`,
    `[variables.home + '.' + variables.release].filter(key, ('${RELEASE_KEY}' + key) in params.data)`,
  ].join(' : '),
  until: `variables.labels[?'${UNTIL_LABEL}'].orValue('none')`,
  /** The harmed releases without an approval that covers the request. */
  denied: [
    'variables.harmed.filter(key,',
    `!(('${APPROVAL_KEY}' + key) in params.data) || !(request.operation == 'CREATE'`,
    `? timestamp(object.metadata.creationTimestamp) < timestamp(int(params.data['${APPROVAL_KEY}' + key].split(',')[0].split(':')[1]))`,
    `: params.data['${APPROVAL_KEY}' + key].startsWith('{"expires":' + variables.until + ',')`,
    `&& params.data['${APPROVAL_KEY}' + key].contains('"' + variables.subject.metadata.uid + '"')))`,
  ].join(' '),
} as const

const RELEASES = "variables.denied.map(key, key.replace('.', '/', 1)).join(' ')"

/** Messages in CEL: the denied request, and the command that allows it. */
const UNINSTALLING = `'the release ' + ${RELEASES} + ' is protected and may not be uninstalled'`
const DELETING = [
  "request.kind.kind + ' ' + variables.subject.metadata.name",
  "(variables.kind == 'namespaces' ? ' holds what is protected, ' : ' belongs to the protected release ')",
  RELEASES,
  "', and may not be deleted'",
].join(' + ')
const APPROVING = `'; if it is meant, allow it for a while with: kk guard approve ' + ${RELEASES} + (variables.kind == 'namespaces' ? ' --with-namespaces' : '')`
const MESSAGE = `'kk guard: ' + (request.operation == 'DELETE' ? ${DELETING} : ${UNINSTALLING}) + ${APPROVING}`

/**
 * Returns the policy that denies requests that would lose data of protected releases, unless approved, and
 * the deletion of its own parameters.
 */
export function guardPolicy(): KubernetesObject {
  const isOwn = [
    `(variables.kind == 'configmaps' && request.namespace == '${KK_NAMESPACE}' && variables.subject.metadata.name == '${GUARD_NAME}')`,
    `(variables.kind == 'namespaces' && variables.subject.metadata.name == '${KK_NAMESPACE}')`,
  ].join(' || ')
  return {
    apiVersion: POLICIES.apiVersion,
    kind: POLICIES.kind,
    metadata: {name: GUARD_NAME},
    spec: {
      failurePolicy: 'Fail',
      paramKind: {apiVersion: 'v1', kind: 'ConfigMap'},
      matchConstraints: {
        resourceRules: [
          rule('apps', 'v1', ['statefulsets'], ['DELETE']),
          rule('', 'v1', ['persistentvolumeclaims', 'namespaces'], ['DELETE']),
          rule('', 'v1', ['secrets'], ['UPDATE', 'DELETE']),
          rule('', 'v1', ['configmaps'], ['CREATE', 'DELETE']),
          rule('batch', 'v1', ['jobs'], ['CREATE']),
        ],
      },
      variables: Object.entries(VARIABLES).map(([name, expression]) => ({name, expression})),
      validations: [
        {expression: 'variables.denied.size() == 0', messageExpression: MESSAGE, reason: 'Forbidden'},
        {
          expression: `request.operation != 'DELETE' || variables.isGoing || !(${isOwn})`,
          messageExpression: `'kk guard: the guard keeps its parameters here; take it away with: kk guard remove (${STAMP_KEY} ' + params.data['${STAMP_KEY}'] + ')'`,
          reason: 'Forbidden',
        },
      ],
    },
  }
}

/**
 * Returns the binding of the policy to these namespaces only: a guard without its parameters denies every
 * request in them.
 */
export function guardBinding(namespaces: readonly string[]): KubernetesObject {
  return policyBinding(GUARD_NAME, {parameters: {name: GUARD_NAME, namespace: KK_NAMESPACE}, namespaces})
}

interface Binding {
  /** The part of `paramRef` that selects the parameters; if none match, every request is denied. */
  readonly parameters: object
  readonly namespaces: readonly string[]
}

/** Returns the binding of a policy, with the same name. */
export function policyBinding(name: string, {parameters, namespaces}: Binding): KubernetesObject {
  return {
    apiVersion: BINDINGS.apiVersion,
    kind: BINDINGS.kind,
    metadata: {name},
    spec: {
      policyName: name,
      validationActions: ['Deny'],
      paramRef: {...parameters, parameterNotFoundAction: 'Deny'},
      matchResources: {namespaceSelector: inNamespaces(namespaces)},
    },
  }
}

const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name'

/** Returns a selector of these namespaces; without any, it selects none. */
function inNamespaces(namespaces: readonly string[]): object {
  const values = [...new Set(namespaces)].sort()
  if (values.length > 0) return {matchExpressions: [{key: NAMESPACE_NAME_LABEL, operator: 'In', values}]}
  const never = ['Exists', 'DoesNotExist'].map((operator) => ({key: NAMESPACE_NAME_LABEL, operator}))
  return {matchExpressions: never}
}

export function rule(
  group: string,
  version: string,
  resources: readonly string[],
  operations: readonly string[],
): object {
  return {apiGroups: [group], apiVersions: [version], resources, operations, scope: '*'}
}
