import {expect, it} from 'vitest'
import {openGuard} from '../../src/kubernetes/guard/open.ts'
import {json, refuse, scriptedServer} from './support/api-server.ts'

const PATH = '/apis/admissionregistration.k8s.io/v1'

it.each([
  ['validatingadmissionpolicies', true],
  ['validatingwebhookconfigurations', false],
])('an API server with %s in its list supports a guard: %s', async (name, supported) => {
  const {client} = await scriptedServer(({path}, response) =>
    path === PATH ? json(response, {resources: [{name}]}) : refuse(response, 404, 'not found'),
  )

  expect(await openGuard(client).supported()).toBe(supported)
})

it('a guard without any object does not exist', async () => {
  const {client} = await scriptedServer((_, response) => refuse(response, 404, 'not found'))

  expect(await openGuard(client).read()).toBeUndefined()
})

it('a concurrent write is not overwritten', async () => {
  const {client} = await scriptedServer(({method, path}, response) =>
    method === 'PUT' && path.endsWith('/configmaps/kk-guard')
      ? refuse(response, 409, 'the object has been modified')
      : json(response, {}),
  )

  const install = openGuard(client).install({releases: [], claims: new Map(), approvals: []}, '7')

  await expect(install).rejects.toMatchObject({code: 'KK_RACED'})
})
