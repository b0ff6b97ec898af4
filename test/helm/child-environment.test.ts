import {describe, expect, it} from 'vitest'
import {childEnvironment} from '../../src/helm/child-environment.ts'

describe('the environment of helm', () => {
  it("is the caller's, without variables of kk and variables that redirect helm", () => {
    const env = childEnvironment({
      PATH: '/bin',
      KUBECONFIG: '/k/config',
      HELM_NAMESPACE: 'other',
      HELM_KUBECONTEXT: 'other',
      HELM_DEBUG: '1',
      KK_STORE: 'postgres://kk:s3cret@db/kk',
      KK_STORE_KEY: 's3cret',
      KK_TOKEN: 's3cret',
      KK_SERVER_TOKEN: 's3cret',
      PGPASSWORD: 's3cret',
      HELM_PLUGINS: '/plugins',
      HTTPS_PROXY: 'http://proxy',
      XDG_CACHE_HOME: '/cache',
      UNSET: undefined,
    })

    expect(env).toEqual({
      PATH: '/bin',
      KUBECONFIG: '/k/config',
      HTTPS_PROXY: 'http://proxy',
      XDG_CACHE_HOME: '/cache',
      HELM_DRIVER: 'secret',
      HELM_NO_PLUGINS: '1',
      HELM_QPS: '50',
      HELM_BURST_LIMIT: '200',
      HELM_CACHE_HOME: '/cache/kk/helm/cache',
      HELM_CONFIG_HOME: '/cache/kk/helm/config',
      HELM_DATA_HOME: '/cache/kk/helm/data',
      NO_COLOR: '1',
    })
  })

  it.each(['secret', 'secrets', ''])('accepts HELM_DRIVER=%s', (driver) => {
    expect(childEnvironment({HELM_DRIVER: driver}).HELM_DRIVER).toBe('secret')
  })

  it.each(['configmap', 'sql', 'memory'])('refuses HELM_DRIVER=%s', (driver) => {
    expect(() => childEnvironment({HELM_DRIVER: driver})).toThrow(
      expect.objectContaining({code: 'KK_HELM_DRIVER', hint: 'unset HELM_DRIVER'}),
    )
  })
})
