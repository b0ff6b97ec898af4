import {expect, it} from 'vitest'
import {drivenEnvironment} from '../../src/operator/steer.ts'

/** A cluster whose only Environment has this spec. */
function clusterWith(spec: object) {
  const found = {metadata: {name: 'production'}, spec: {source: {configMap: 'production'}, ...spec}}
  const objects = {read: async () => found}
  return {objects} as unknown as Parameters<typeof drivenEnvironment>[0]
}

it.each([
  ['is suspended', {suspend: true}, 'KK_PAUSED', 'kk operator resume production'],
  [
    'has its releases in another cluster, of which no plan is made here',
    {cluster: {kubeconfigSecret: 'north'}},
    'KK_WRONG_CLUSTER',
    'kk operator follow production',
  ],
])('an Environment that %s is not given another file', async (_, spec, code, hint) => {
  const refused = drivenEnvironment(clusterWith(spec), 'production')

  await expect(refused).rejects.toMatchObject({code, exit: 3, hint: expect.stringContaining(hint)})
})

it('one that the operator drives here is', async () => {
  await expect(drivenEnvironment(clusterWith({}), 'production')).resolves.toMatchObject({
    metadata: {name: 'production'},
  })
})
