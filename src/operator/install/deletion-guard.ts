import {BINDINGS, POLICIES} from '../../kubernetes/guard/names.ts'
import {rule} from '../../kubernetes/guard/policies/policy.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {CONFIRM_REMOVE, ENVIRONMENT, ENVIRONMENTS} from '../kinds/environment-kind.ts'
import {definitionName} from '../kinds/kind.ts'
import {RELEASE} from '../kinds/release-kind.ts'

/** The names of the operator's kinds. */
export const DEFINITION_NAMES = [ENVIRONMENT, RELEASE].map(definitionName)

/** The annotation of a kind that may be deleted, with every object of it. */
export const ALLOW_REMOVAL = 'kk.openstack.org/allow-removal'

const GOING = 'has(oldObject.metadata.deletionTimestamp)'
/** Then there is no `oldObject`. */
const IS_NEW = "request.operation == 'CREATE'"
const HOME_GOING = '(namespaceObject != null && has(namespaceObject.metadata.deletionTimestamp))'
const isAnnotated = (key: string, value: string) =>
  `oldObject.metadata.?annotations[?'${key}'].orValue('') == ${value}`

/**
 * Returns the policy that denies the deletion of the operator's kinds, with which every Environment would go, and of
 * Environments that would take their releases along, unless it is confirmed, and Environments where nobody looks at them; with its
 * binding. A namespace that is being deleted is held up by nothing.
 */
export function deletionGuard(
  name: string,
  labels: Readonly<Record<string, string>>,
): readonly KubernetesObject[] {
  const metadata = {name, labels}
  const [group, version] = ENVIRONMENTS.apiVersion.split('/') as [string, string]
  return [
    {
      apiVersion: POLICIES.apiVersion,
      kind: POLICIES.kind,
      metadata,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [
            rule('apiextensions.k8s.io', 'v1', ['customresourcedefinitions'], ['DELETE']),
            rule(group, version, [ENVIRONMENTS.plural], ['CREATE', 'DELETE']),
          ],
        },
        matchConditions: [
          {
            name: 'is-of-kk',
            expression: `request.resource.resource == '${ENVIRONMENTS.plural}' || oldObject.metadata.name in ${JSON.stringify(DEFINITION_NAMES)}`,
          },
          {name: 'is-not-going', expression: `${IS_NEW} || (!${GOING} && !${HOME_GOING})`},
        ],
        validations: [
          {
            expression: `request.resource.resource == '${ENVIRONMENTS.plural}' || ${isAnnotated(ALLOW_REMOVAL, "'true'")}`,
            messageExpression:
              "'kk: with ' + oldObject.metadata.name + ' every object of it would go; take the operator away with: kk operator uninstall'",
            reason: 'Forbidden',
          },
          {
            expression: `${IS_NEW} || request.resource.resource != '${ENVIRONMENTS.plural}' || oldObject.spec.?deletionPolicy.orValue('') != 'RemoveUnshared' || ${isAnnotated(CONFIRM_REMOVE, 'oldObject.metadata.uid')}`,
            messageExpression: `'kk: with the Environment ' + oldObject.metadata.name + ' its releases would go; confirm it by the annotation ${CONFIRM_REMOVE}: ' + oldObject.metadata.uid + ', or set spec.deletionPolicy to Orphan'`,
            reason: 'Forbidden',
          },
          {
            expression: `!(${IS_NEW}) || request.namespace == '${KK_NAMESPACE}'`,
            message: `kk: the operator looks at Environments in ${KK_NAMESPACE} alone; its releases may be in any namespace`,
          },
        ],
      },
    },
    {
      apiVersion: BINDINGS.apiVersion,
      kind: BINDINGS.kind,
      metadata,
      spec: {policyName: name, validationActions: ['Deny']},
    },
  ]
}
