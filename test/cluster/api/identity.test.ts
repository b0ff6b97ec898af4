import {describe, expect, it} from 'vitest'
import {checkVersion, OLDEST_KUBERNETES} from '../../../src/cluster/api/identity.ts'

describe('the version of Kubernetes', () => {
  it.each([`v${OLDEST_KUBERNETES}.0`, 'v1.36.3', 'v1.31.4-gke.1256000', '1.30+', 'v2.0.0', 'unknown'])(
    '%s is accepted',
    (version) => {
      expect(() => checkVersion(version, 'test')).not.toThrow()
    },
  )

  it.each(['v1.28.15', 'v1.9.0', 'v0.21.4'])('%s is too old', (version) => {
    expect(() => checkVersion(version, 'test')).toThrow(
      expect.objectContaining({
        code: 'KK_KUBERNETES_VERSION',
        message: `the cluster of context "test" runs Kubernetes ${version}; kk needs ${OLDEST_KUBERNETES} or newer`,
      }),
    )
  })
})
