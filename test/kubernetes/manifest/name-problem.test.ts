import {describe, expect, it} from 'vitest'
import {nameProblem} from '../../../src/kubernetes/manifest/name-problem.ts'

const object = (kind: string, name: string, apiVersion = 'v1', namespace?: string) => ({
  apiVersion,
  kind,
  metadata: {name, ...(namespace !== undefined && {namespace})},
})

const RBAC = 'rbac.authorization.k8s.io/v1'

describe('a name that every API server', () => {
  it.each([
    ['ConfigMap', '../../x y'],
    ['ConfigMap', '..'],
    ['ClusterRole', 'a/b', RBAC],
    ['ClusterRole', '.', RBAC],
    ['ConfigMap', 'Upper'],
    ['ConfigMap', 'under_score'],
    ['ConfigMap', ''],
    ['ConfigMap', '-a'],
    ['ConfigMap', 'a'.repeat(254)],
    ['Service', 'with.dot'],
    ['Service', 'a'.repeat(64)],
    ['Namespace', 'with.dot'],
    ['Cache', 'Upper', 'example.org/v1'],
    ['ConfigMap', 'a', 'v1', '../x'],
    ['ConfigMap', 'a', 'v1', 'with.dot'],
  ])('refuses is a problem: %s %j', (kind, name, apiVersion = 'v1', namespace?: string) => {
    expect(nameProblem(object(kind, name, apiVersion, namespace))).toMatch(
      /^metadata\.name(space)?: ".*" is no valid/,
    )
  })

  it.each([
    ['ConfigMap', 'kube-root-ca.crt'],
    ['ConfigMap', '1-a'],
    ['ConfigMap', 'a'.repeat(253)],
    ['Service', '1st'],
    ['ClusterRole', 'system:Node_1', RBAC],
    ['IPAddress', 'fd00::1', 'networking.k8s.io/v1'],
    ['APIService', 'v1.example.org', 'apiregistration.k8s.io/v1'],
    ['ConfigMap', 'a', 'v1', 'openstack'],
  ])('accepts is valid: %s %j', (kind, name, apiVersion = 'v1', namespace?: string) => {
    expect(nameProblem(object(kind, name, apiVersion, namespace))).toBeUndefined()
  })
})
