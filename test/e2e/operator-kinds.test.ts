import {beforeAll, describe, expect, it} from 'vitest'
import {waitFor} from './support/cluster.ts'
import {type OperatedCluster, startOperatedCluster} from './support/operator.ts'

let cluster: OperatedCluster
beforeAll(async () => {
  cluster = await startOperatedCluster(1)
  return () => cluster.end()
})

/** Applies an object and returns what the API server says against it. */
async function refusal(kind: string, name: string, spec: object, namespace = 'kk-system'): Promise<string> {
  const metadata = {name, namespace}
  return (await cluster.create({apiVersion: 'kk.openstack.org/v1alpha1', kind, metadata, spec})).stderr
}

describe.concurrent('the API server refuses', () => {
  it.each([
    ['an Environment without a source', {source: {}}, 'name one of configMap, secret and oci'],
    [
      'an Environment with two sources',
      {source: {configMap: 'a', secret: 'b'}},
      'name one of configMap, secret and oci',
    ],
    [
      'an approval of what is no digest',
      {source: {configMap: 'a'}, approval: {plan: 'yes'}},
      'spec.approval.plan',
    ],
    [
      'an action that needs no approval',
      {source: {configMap: 'a'}, approval: {required: ['rollback']}},
      'Unsupported value: "rollback"',
    ],
    [
      'a path to ignore that is no JSON pointer',
      {source: {configMap: 'a'}, drift: {ignore: [{paths: ['spec.replicas']}]}},
      'spec.drift.ignore[0].paths[0]',
    ],
  ])('%s', async (_, spec, message) => {
    expect(await refusal('Environment', 'refused', spec)).toContain(message)
  })

  it('an Environment whose name is too long for labels', async () => {
    expect(await refusal('Environment', 'e'.repeat(41), {source: {configMap: 'a'}})).toContain(
      'has at most 40 characters',
    )
  })

  it.each([
    [
      'to delete its CRDs, and thus every Environment',
      ['crd', 'environments.kk.openstack.org'],
      'uninstall the operator with: kk operator uninstall',
    ],
    [
      'to delete an Environment with RemoveUnshared without confirmation',
      ['environment.kk.openstack.org', 'kept', '--namespace', 'kk-system'],
      'this would remove the releases of the Environment kept; confirm it with the annotation',
    ],
  ])('%s', async (_, words, message) => {
    const metadata = {name: 'kept', namespace: 'kk-system'}
    const spec = {source: {configMap: 'none'}, deletionPolicy: 'RemoveUnshared', suspend: true}
    await cluster.create({apiVersion: 'kk.openstack.org/v1alpha1', kind: 'Environment', metadata, spec})

    const refused = await waitFor(
      async () => {
        const {exitCode, stderr} = await cluster.kubectl('delete', '--dry-run=server', ...words)
        return exitCode !== 0 && stderr
      },
      {until: 'the API server enforces the policy'},
    )

    expect(refused).toContain(message)
  })

  it('an Environment outside kk-system', async () => {
    expect(await refusal('Environment', 'elsewhere', {source: {configMap: 'a'}}, 'default')).toContain(
      'the operator reconciles only objects in kk-system',
    )
  })

  it.each([
    ['outside kk-system', {}, 'default', 'the operator reconciles only objects in kk-system'],
    ['for longer than timers can count', {timeout: '400h'}, 'kk-system', 'spec.timeout'],
  ])('a NodeOperation %s', async (_, more, namespace, message) => {
    const spec = {environment: 'a', node: 'b', operation: 'drain', ...more}

    expect(await refusal('NodeOperation', 'refused', spec, namespace)).toContain(message)
  })

  it('a Release that requires itself', async () => {
    const release = {namespace: 'a', name: 'b'}
    const spec = {
      release,
      chart: {name: 'b', version: '1'},
      action: 'install',
      requires: [{...release, kind: 'ready'}],
      protected: false,
    }

    expect(await refusal('Release', 'refused', spec)).toContain('a release cannot require itself')
  })
})
