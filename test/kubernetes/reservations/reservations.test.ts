import {describe, expect, it} from 'vitest'
import {useReservations} from '../../../src/kubernetes/reservations/reservations.ts'
import {json, refuse, scriptedServer} from '../support/api-server.ts'

const BASE = '/api/v1/namespaces/kk-system/configmaps'
const DAY = Date.parse('2026-11-21T12:00:00Z')
const reservation = {
  required: 'openstack/mariadb',
  dependent: 'openstack/keystone',
  operator: 'ada@host',
  deadline: DAY,
} as const

interface Stored {
  readonly metadata: {readonly name: string; readonly labels: Readonly<Record<string, string>>}
  readonly data?: object
}

/** The API server as far as ConfigMaps of `kk-system` and one Lease go. */
async function apiServer(lease?: object, isNamespaceMissing = false) {
  const stored = new Map<string, Stored>()
  let isMissing = isNamespaceMissing
  const server = await scriptedServer(({method, path, query, body}, response) => {
    if (path === '/api/v1/namespaces') {
      isMissing = false
      return json(response, {}, 201)
    }
    if (path.includes('/leases/')) return lease ? json(response, lease) : refuse(response, 404, 'not found')
    if (isMissing) return refuse(response, 404, 'namespace not found')
    if (method === 'POST') {
      const sent = JSON.parse(body) as Stored
      stored.set(sent.metadata.name, sent)
      return json(response, sent, 201)
    }
    if (method === 'DELETE') {
      const name = path.slice(BASE.length + 1)
      return stored.delete(name) ? json(response, {}) : refuse(response, 404, 'not found')
    }
    const [label = '', value] = (query.get('labelSelector') ?? '').split('=')
    const items = [...stored.values()].filter(({metadata}) => metadata.labels[label] === value)
    json(response, {metadata: {resourceVersion: '1'}, items})
  })
  return {stored, server, reservations: useReservations(server.client)}
}

describe('a reservation', () => {
  it('is a ConfigMap with dependent, operator and deadline, even if kk-system does not exist yet', async () => {
    const {reservations, stored} = await apiServer(undefined, true)

    await reservations.declare(reservation)

    expect([...stored.keys()]).toEqual([expect.stringMatching(/^kk-intent-[0-9a-f]{40}-[0-9a-f-]{36}$/)])
    expect(await reservations.on('openstack/mariadb')).toEqual([
      {...reservation, name: [...stored.keys()][0]},
    ])
    expect(await reservations.on('openstack/keystone')).toEqual([])
  })

  it('is withdrawn with all reservations of its dependent, those of killed runs included', async () => {
    const {reservations, stored} = await apiServer()
    await reservations.declare(reservation)
    await reservations.declare({...reservation, operator: 'a run that was killed'})
    await reservations.declare({...reservation, dependent: 'openstack/glance'})

    await reservations.withdraw('openstack/keystone')

    expect([...stored.values()]).toMatchObject([{data: {dependent: 'openstack/glance'}}])
  })

  it('still counts after its data was removed', async () => {
    const {reservations, stored} = await apiServer()
    await reservations.declare(reservation)
    const [name, {metadata}] = [...stored][0]!
    stored.set(name, {metadata})

    expect(await reservations.on('openstack/mariadb')).toMatchObject([
      {name, operator: 'an unknown holder', deadline: 0},
    ])
  })

  it('is read consistently: without a resourceVersion', async () => {
    const {reservations, server} = await apiServer()

    await reservations.on('openstack/mariadb')

    expect(server.asked.at(-1)?.query.has('resourceVersion')).toBe(false)
  })
})

describe('a deletion marker', () => {
  it.each([
    ['of a Lease that bears the annotation', {'kk.openstack.org/removing': 'x'}, {holder: 'ada@host'}],
    ['of a Lease without it', {}, undefined],
  ])('%s', async (_, annotations, deletionMarker) => {
    const {reservations} = await apiServer({metadata: {annotations}, spec: {holderIdentity: 'ada@host'}})

    expect(await reservations.deletionMarker('openstack/mariadb')).toEqual(deletionMarker)
  })

  it('does not exist without a Lease', async () => {
    const {reservations} = await apiServer()

    expect(await reservations.deletionMarker('openstack/mariadb')).toBeUndefined()
  })
})
