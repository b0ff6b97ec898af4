import {describe, expect, it} from 'vitest'
import {parseDependencies} from '../../../src/kubernetes/dependencies/parse.ts'

const NAMESPACE = 'openstack'

describe("kubernetes-entrypoint's variables", () => {
  it.each([
    [
      'DEPENDENCY_SERVICE',
      'a,infra:b',
      [
        {kind: 'service', namespace: 'openstack', name: 'a'},
        {kind: 'service', namespace: 'infra', name: 'b'},
      ],
    ],
    ['DEPENDENCY_JOBS', 'db-sync', [{kind: 'job', namespace: 'openstack', name: 'db-sync'}]],
    [
      'DEPENDENCY_JOBS_JSON',
      '[{"name":"a","namespace":"x"},{"labels":{"of":"b"}}]',
      [
        {kind: 'job', namespace: 'x', name: 'a'},
        {kind: 'jobs', namespace: 'openstack', labels: {of: 'b'}},
      ],
    ],
    ['DEPENDENCY_DAEMONSET', 'ovs', [{kind: 'daemonset', namespace: 'openstack', name: 'ovs'}]],
    [
      'DEPENDENCY_POD_JSON',
      '[{"labels":{"app":"x"},"requireSameNode":true}]',
      [{kind: 'pod', namespace: 'openstack', labels: {app: 'x'}, sameNode: true}],
    ],
    [
      'DEPENDENCY_CONTAINER',
      'one,two',
      [
        {kind: 'container', name: 'one'},
        {kind: 'container', name: 'two'},
      ],
    ],
    ['DEPENDENCY_SOCKET', '/run/ovs.sock', [{kind: 'socket', path: '/run/ovs.sock'}]],
    [
      'DEPENDENCY_CUSTOM_RESOURCE',
      '[{"apiVersion":"a/v1","kind":"Foo","name":"n","fields":[{"key":"status.phase","value":"up"}],"conditions":[{"type":"Ready"}]}]',
      [
        {
          kind: 'resource',
          apiVersion: 'a/v1',
          of: 'Foo',
          namespace: 'openstack',
          name: 'n',
          fields: [{key: 'status.phase', value: 'up'}],
          conditions: [{type: 'Ready', status: 'True'}],
        },
      ],
    ],
    ['DEPENDENCY_SERVICE', '', []],
  ])('%s=%s', (variable, value, dependencies) => {
    expect(parseDependencies({NAMESPACE, [variable]: value})).toEqual(dependencies)
  })

  it('prefer DEPENDENCY_JOBS_JSON to DEPENDENCY_JOBS, as kubernetes-entrypoint does', () => {
    const env = {NAMESPACE, DEPENDENCY_JOBS: 'a', DEPENDENCY_JOBS_JSON: '[{"name":"b"}]'}

    expect(parseDependencies(env)).toEqual([{kind: 'job', namespace: 'openstack', name: 'b'}])
  })

  it.each([
    ['DEPENDENCY_SERVICE', 'a:b:c'],
    ['DEPENDENCY_SERVICE', ':b'],
    ['DEPENDENCY_POD_JSON', '{'],
    ['DEPENDENCY_POD_JSON', '{}'],
    ['DEPENDENCY_JOBS_JSON', '[{}]'],
    ['DEPENDENCY_CUSTOM_RESOURCE', '[{"kind":"Foo"}]'],
  ])('%s=%s is refused, because the pod would start too early', (variable, value) => {
    expect(() => parseDependencies({[variable]: value})).toThrow(
      expect.objectContaining({code: 'KK_DEPENDENCY', message: expect.stringContaining(variable)}),
    )
  })
})
