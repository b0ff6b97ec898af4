import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {clusterAccess} from '../../../src/kubernetes/api/access.ts'
import {testDirectory} from '../../support/test-directory.ts'

async function mounted(): Promise<string> {
  const directory = testDirectory()
  await writeFile(join(directory, 'token'), 's3cret')
  return directory
}

describe('in a pod', () => {
  it('the service account gives access to the cluster', async () => {
    const directory = await mounted()

    expect(clusterAccess({env: {KUBERNETES_SERVICE_HOST: 'fd00::1'}}, directory)).toEqual({
      context: 'in-cluster',
      server: 'https://[fd00::1]:443',
      kubeconfig: undefined,
      isOfPod: true,
      cluster: {server: 'https://[fd00::1]:443', 'certificate-authority': join(directory, 'ca.crt')},
      user: {tokenFile: join(directory, 'token')},
    })
  })

  it.each([
    [{}, {env: {HOME: '/nowhere'}}],
    [{KUBERNETES_SERVICE_HOST: '10.0.0.1'}, {kubeconfig: '/nowhere/config'}],
    [{KUBERNETES_SERVICE_HOST: '10.0.0.1'}, {context: 'production'}],
    [{KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBECONFIG: '/nowhere/config'}, {}],
  ])('the service account is not used with %j and %j', async (env, named) => {
    const directory = await mounted()

    expect(() => clusterAccess({env, ...named}, directory)).toThrow(
      expect.objectContaining({code: 'KK_KUBECONFIG'}),
    )
  })
})
