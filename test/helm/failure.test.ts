import {describe, expect, it} from 'vitest'
import {helmFailure} from '../../src/helm/failure.ts'

const failure = (stderr: string, stdout = '', more: {command?: 'rollback'; endedBy?: string} = {}) =>
  helmFailure({
    command: 'upgrade',
    call: {name: 'keystone', namespace: 'openstack'},
    stdout,
    stderr,
    redact: (text) => text.replaceAll('hunter2', '***'),
    ...more,
  })

describe('helmFailure', () => {
  it.each([
    [
      'KK_HELM_FAILED',
      'Error: UPGRADE FAILED: post-upgrade hooks failed: job db-sync failed: BackoffLimitExceeded',
      'openstack/keystone: helm upgrade failed: post-upgrade hooks failed: job db-sync failed: BackoffLimitExceeded',
    ],
    [
      'KK_UNREACHABLE',
      'Error: UPGRADE FAILED: Kubernetes cluster unreachable: dial tcp 127.0.0.1:1: connect: connection refused',
      'openstack/keystone: helm cannot reach the cluster: Kubernetes cluster unreachable: dial tcp 127.0.0.1:1: connect: connection refused',
    ],
    [
      'KK_UNREACHABLE',
      'Error: UPGRADE FAILED: server-side apply failed for object a/db apps/v1, Kind=Deployment: Patch "https://127.0.0.1:1/apis/apps/v1/namespaces/a/deployments/db?fieldManager=helm": EOF',
      'openstack/keystone: helm cannot reach the cluster: server-side apply failed for object a/db apps/v1, Kind=Deployment: Patch "https://127.0.0.1:1/apis/apps/v1/namespaces/a/deployments/db?fieldManager=helm": EOF',
    ],
    [
      'KK_HELM_FAILED',
      'Error: UPGRADE FAILED: Internal error occurred: failed calling webhook "a.b.c": failed to call webhook: Post "https://a.b.svc:443/mutate?timeout=10s": dial tcp 10.0.0.1:443: connect: connection refused',
      'openstack/keystone: helm upgrade failed: Internal error occurred: failed calling webhook "a.b.c": failed to call webhook: Post "https://a.b.svc:443/mutate?timeout=10s": dial tcp 10.0.0.1:443: connect: connection refused',
    ],
    [
      'KK_FORBIDDEN',
      'Error: query: failed to query with labels: secrets is forbidden: User "eve" cannot list resource "secrets"',
      'openstack/keystone: a permission is missing: query: failed to query with labels: secrets is forbidden: User "eve" cannot list resource "secrets"',
    ],
    [
      'KK_RACED',
      'Error: INSTALLATION FAILED: cannot re-use a name that is still in use',
      'openstack/keystone: another process changed the release in the meantime: cannot re-use a name that is still in use',
    ],
    [
      'KK_PENDING',
      'Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress',
      'openstack/keystone: another operation on the release has not ended: another operation (install/upgrade/rollback) is in progress',
    ],
    [
      'KK_CHART',
      'Error: library charts are not installable',
      'openstack/keystone: the chart cannot be used: library charts are not installable',
    ],
    [
      'KK_CHART',
      'Error: cannot load values.yaml: cannot unmarshal yaml document: yaml: line 1: did not find expected node content',
      'openstack/keystone: the chart cannot be used: cannot load values.yaml: cannot unmarshal yaml document: yaml: line 1: did not find expected node content',
    ],
    [
      'KK_CHART',
      'Error: values don\'t meet the specifications of the schema(s) in the following chart(s):\nkeystone:\nfailing loading "http://127.0.0.1:1/x.json": connection refused\n',
      'openstack/keystone: values.schema.json of the chart cannot be used: keystone: failing loading "http://127.0.0.1:1/x.json": connection refused',
    ],
    [
      'KK_RENDER',
      'Error: a/templates/y.yaml:1:13\n  executing "a/templates/y.yaml" at <.Values.foo.bar>:\n    nil pointer evaluating interface {}.bar\n',
      'openstack/keystone: the chart does not render: a/templates/y.yaml:1:13 executing "a/templates/y.yaml" at <.Values.foo.bar>: nil pointer evaluating interface {}.bar',
    ],
    [
      'KK_VALUES',
      "Error: values don't meet the specifications of the schema(s) in the following chart(s):\nkeystone:\n- at '/a': got string, want integer\n- at '/b': got null, want string\n",
      "openstack/keystone: the values break the schema of the chart: keystone: at '/a': got string, want integer; at '/b': got null, want string",
    ],
  ])('returns %s for %j', (code, stderr, message) => {
    expect(failure(stderr)).toMatchObject({code, message, hint: expect.stringMatching(/./)})
  })

  it('reports a violation of a schema once, and keeps the lines before it', () => {
    const error = failure(
      "coalesce.go: warning\nError: values don't meet the specifications of the schema(s) in the following chart(s):\nkeystone:\n- at '/a': got string, want integer\n",
    )

    expect(error.message).toContain("at '/a': got string, want integer")
    expect(error.log).toEqual(['coalesce.go: warning'])
  })

  it('reports violations of a schema in a fixed order, whatever the order of helm', () => {
    const schema = (...lines: readonly string[]) =>
      failure(
        `Error: values don't meet the specifications of the schema(s) in the following chart(s):\n${lines.join('\n')}\n`,
      ).message
    const [a, b, c, d] = ["- at '/a': no", "- at '/b': no", "  - at '/b/c': no", "  - at '/b/d': no"] as const

    const message = schema('top:', b, d, c, a, 'sub:', b, a)

    expect(message).toBe(schema('top:', a, b, c, d, 'sub:', a, b))
    expect(message).toMatch(/top: at '\/a': no; at '\/b': no; at '\/b\/c': .* sub: at '\/a'/)
  })

  it('keeps the last lines, without colour, noise and secrets', () => {
    const lines = Array.from({length: 30}, (_, index) => `line ${index}`).join('\n')

    const error = failure(
      `${lines}\n\u001b[31mError: hunter2 is wrong\u001b[0m\n\nUse --debug flag to render out invalid YAML\n`,
    )

    expect(error.log).toHaveLength(20)
    expect(error.log.at(0)).toBe('line 11')
    expect(error.log.at(-1)).toBe('Error: *** is wrong')
    expect(error.message).not.toContain('hunter2')
  })

  it('omits the JSON of a release, which contains its values', () => {
    const error = failure('Error: timed out', '{"config":{"db":"other"}}')

    expect(error.log).toEqual(['Error: timed out'])
  })

  it('reports that helm printed nothing', () => {
    expect(failure('').message).toBe('openstack/keystone: helm upgrade failed: it printed nothing')
  })

  it('names the signal that ended helm', () => {
    const {code, message, hint} = failure('', '', {endedBy: 'SIGKILL'})

    expect({code, message}).toEqual({
      code: 'KK_HELM_FAILED',
      message: 'openstack/keystone: helm upgrade was ended by SIGKILL, not by kk',
    })
    expect(hint).toContain('out of memory')
  })

  it.each([
    {
      command: undefined,
      hint: 'remove the field from the values of keystone, or take it over with --force-conflicts: kk upgrade keystone --force-conflicts',
    },
    {
      command: 'rollback' as const,
      hint: 'take the field from the manager that the message names, then run the same command again; or bring the file back to the older inputs, and: kk upgrade keystone --force-conflicts',
    },
  ])('suggests the command that takes over conflicting fields, also after $command', ({command, hint}) => {
    const conflict =
      'Error: UPGRADE FAILED: Apply failed with 1 conflict: conflict with "kubectl": .spec.replicas'

    expect(failure(conflict, '', command && {command})).toMatchObject({code: 'KK_CONFLICT', hint})
  })
})
