import type {FastifyInstance} from 'fastify'
import * as prometheus from 'prom-client'
import * as libraries from '../../../src/api/libraries.ts'
import {openServer, type ServerOptions} from '../../../src/api/open-server.ts'
import type {TestOverrides} from './overrides.ts'

/** The service of these overrides; who opens it closes it. */
export async function testServer(
  overrides: Pick<TestOverrides, 'serviceFor'>,
  options: Partial<ServerOptions> = {},
): Promise<FastifyInstance> {
  return openServer(
    {
      serviceFor: overrides.serviceFor,
      releasesOf: () => ['rabbit-1'],
      ready: async () => {},
      tokens: undefined,
      version: '1.2.3',
      ...options,
    },
    libraries,
    prometheus,
  )
}
