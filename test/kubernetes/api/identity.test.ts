import {describe, expect, it} from 'vitest'
import {checkVersion, expectReady, OLDEST_KUBERNETES} from '../../../src/kubernetes/api/identity.ts'
import {scriptedServer} from '../support/api-server.ts'

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

describe('an API server', () => {
  it.each([
    ['that is ready', 200],
    ['that does not tell everybody', 403],
    ['that does not know the question', 404],
  ])('%s is ready', async (_, status) => {
    const {client} = await scriptedServer((_, response) => response.writeHead(status).end('ok'))

    await expect(expectReady(client)).resolves.toBeUndefined()
  })

  it('counts as unreachable until it reports that it is ready', async () => {
    const {client} = await scriptedServer((_, response) =>
      response.writeHead(500).end('[-]informer-sync failed'),
    )

    await expect(expectReady(client)).rejects.toMatchObject({
      code: 'KK_UNREACHABLE',
      message: expect.stringContaining('is not ready yet'),
    })
  })
})
