import type {FastifyInstance} from 'fastify'
import {afterEach, beforeEach} from 'vitest'
import type {ServerOptions} from '../../../src/api/open-server.ts'
import {type TestOverrides, testOverrides} from './overrides.ts'
import {testServer} from './server.ts'

export const READ = 'r'.repeat(32)
export const WRITE = 'w'.repeat(32)
export const RABBITMQ = '/v1/helm_charts/rabbitmq?namespace=openstack'

/** A store of each test's own, and the service on it from when the test opens it; both end with the test. */
export function useServer() {
  let app: FastifyInstance
  let overrides: TestOverrides
  beforeEach(async () => {
    overrides = await testOverrides()
  })
  afterEach(async () => {
    await app.close()
    await overrides.remove()
  })
  return {
    app: () => app,
    overrides: () => overrides,
    async open(options: Partial<ServerOptions> = {}) {
      app = await testServer(overrides, options)
      return app
    },
    /** Adds to the overrides of rabbitmq. */
    update: (set: readonly string[], headers = {}) =>
      app.inject({
        method: 'PATCH',
        url: RABBITMQ,
        headers,
        payload: {flag: 'reuse', values: {files: [], set: [...set]}},
      }),
  }
}
