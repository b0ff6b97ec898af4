import {expect, it} from 'vitest'
import {imagePulls} from '../../src/kubernetes/image-pulls.ts'
import {json, refuse, scriptedServer} from './support/api-server.ts'

const JOBS = '/apis/batch/v1/namespaces/openstack/jobs'
const PODS = '/api/v1/namespaces/openstack/pods'
const PULL = {
  namespace: 'openstack',
  placement: {nodeSelector: {disk: 'fast'}, imagePullSecrets: [{name: 'registry'}]},
  images: [{image: 'keystone:1', policy: 'Always'}, {image: 'glance:1'}],
}

it('a pull has a pod on each node, with a container per image that runs nothing', async () => {
  const {client, asked} = await scriptedServer((_, response) => json(response, {}))

  await imagePulls(client).begin(PULL, 3)

  const [{method, path, body} = {method: '', path: '', body: '{}'}] = asked
  const {spec, metadata} = JSON.parse(body)
  expect([method, path]).toEqual(['POST', JOBS])
  expect(metadata.labels).toEqual({'kk.openstack.org/pull': metadata.name})
  // It ends by itself, also when nobody takes it away.
  expect(spec).toMatchObject({
    parallelism: 3,
    backoffLimit: 0,
    activeDeadlineSeconds: 1800,
    ttlSecondsAfterFinished: 60,
  })
  expect(spec.template.spec).toMatchObject({
    ...PULL.placement,
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    securityContext: {runAsNonRoot: true},
    containers: [
      {image: 'keystone:1', imagePullPolicy: 'Always', command: ['/kk/nothing-to-run']},
      {image: 'glance:1', securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: ['ALL']}}},
    ],
  })
})

it('an image is pulled when its container has its ID, or was started', async () => {
  const statuses = [
    {imageID: 'sha256:1'},
    {state: {waiting: {reason: 'ContainerCreating'}}},
    {state: {terminated: {}}},
  ]
  const {client, asked} = await scriptedServer(({path}, response) =>
    json(response, path === PODS ? {metadata: {}, items: [{status: {containerStatuses: statuses}}, {}]} : {}),
  )

  const begun = await imagePulls(client).begin(PULL, 2)

  expect(await begun.progress()).toEqual({wanted: 4, pulled: 2})
  expect(asked.at(-1)!.query.get('labelSelector')).toMatch(/^kk\.openstack\.org\/pull=kk-pull-/)
})

it('the end of a pull deletes the Job and its pods, and ignores a Job that is gone', async () => {
  const {client, asked} = await scriptedServer(({method}, response) =>
    method === 'DELETE' ? refuse(response, 404, 'gone') : json(response, {}),
  )

  await (await imagePulls(client).begin(PULL, 1)).end()

  expect(asked.at(-1)).toMatchObject({method: 'DELETE', body: '{"propagationPolicy":"Background"}'})
})

it.each([
  [true, []],
  [false, ['create']],
  [false, ['list']],
])('image pulls are permitted: %s, if %j is refused', async (expected, refused) => {
  const {client} = await scriptedServer(({body}, response) => {
    const {verb} = JSON.parse(body).spec.resourceAttributes
    json(response, {status: {allowed: !(refused as string[]).includes(verb)}})
  })

  expect(await imagePulls(client).may('openstack')).toBe(expected)
})
