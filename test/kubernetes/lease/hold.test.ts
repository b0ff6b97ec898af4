import {setTimeout as delay} from 'node:timers/promises'
import {describe, expect, it, vi} from 'vitest'
import {holdLease} from '../../../src/kubernetes/lease/hold.ts'
import {type Lease, leaseName} from '../../../src/kubernetes/lease/lease.ts'
import {HOLDER, OPERATION} from '../../../src/kubernetes/lease/operation.ts'
import {identifyProcess} from '../../../src/state/processes/process-identity.ts'
import {type PlacedProcess, thisProcess} from '../../../src/state/processes/process-place.ts'
import {json, refuse, type ScriptedServer, scriptedServer} from '../support/api-server.ts'

const RELEASE = 'openstack/keystone'
const BASE = '/apis/coordination.k8s.io/v1/namespaces/kk-system/leases'

interface Leases extends ScriptedServer {
  lease: Lease | undefined
  isDown: boolean
}

/** The API server as far as one Lease goes: versions, conflicts, preconditions. */
async function leases(before?: Lease['spec']): Promise<Leases> {
  let version = 1
  const name = leaseName(RELEASE)
  const state = {isDown: false} as {lease?: Lease | undefined; isDown: boolean}
  const store = (lease: Lease) => {
    state.lease = {
      ...lease,
      metadata: {...lease.metadata, name, uid: 'u', resourceVersion: String(++version)},
    }
    return state.lease
  }
  if (before) store({metadata: {name}, spec: before})
  const server = await scriptedServer(({method, path, body}, response) => {
    if (state.isDown) return response.destroy()
    const sent = body === '' ? undefined : JSON.parse(body)
    if (method === 'POST' && path === BASE)
      return state.lease ? refuse(response, 409, 'exists') : json(response, store(sent), 201)
    if (!state.lease) return refuse(response, 404, 'not found')
    const expected = method === 'DELETE' ? sent.preconditions.resourceVersion : sent?.metadata.resourceVersion
    if (sent && expected !== state.lease.metadata.resourceVersion) return refuse(response, 409, 'conflict')
    if (method === 'DELETE') state.lease = undefined
    json(response, method === 'PUT' ? store(sent) : (state.lease ?? {}))
  })
  return Object.assign(state, server) as Leases
}

const hold = ({client}: Leases, more: Partial<Parameters<typeof holdLease>[1]> = {}) =>
  holdLease(client, {
    release: RELEASE,
    holder: 'me',
    deadline: Date.now() + 20_000,
    ...more,
  })

/** Of this machine, as if it had been started at another time. */
async function goneProcess(): Promise<PlacedProcess> {
  return {...(await thisProcess()), started: '1'}
}

function annotate(server: Leases, notes: Readonly<Record<string, unknown>>): void {
  const texts = Object.entries(notes).map(([name, note]) => [name, JSON.stringify(note)])
  const annotations = {...server.lease!.metadata.annotations, ...Object.fromEntries(texts)}
  server.lease = {...server.lease!, metadata: {...server.lease!.metadata, annotations}}
}

const pace = {renewPeriod: 20, retryPeriod: 20, renewDeadline: 200}

describe('a hold on a release', () => {
  it('is a Lease with the holder, created if missing and deleted at its release', async () => {
    const server = await leases()

    const held = await hold(server)

    expect(held.takenFrom).toBeUndefined()
    expect(server.lease).toMatchObject({
      metadata: {annotations: {'kk.openstack.org/release': RELEASE}},
      spec: {holderIdentity: 'me', leaseDurationSeconds: 60, renewTime: expect.stringMatching(/\.\d{6}Z$/)},
    })
    await held.release()
    expect(server.lease).toBeUndefined()
  })

  it('is renewed while it lasts', async () => {
    const server = await leases()
    const held = await hold(server, {pace})
    const first = server.lease?.metadata.resourceVersion

    await expect.poll(() => Number(server.lease?.metadata.resourceVersion)).toBeGreaterThan(Number(first) + 2)

    expect(server.lease?.spec).toMatchObject({holderIdentity: 'me', leaseTransitions: 0})
    await held.release()
    expect(server.lease).toBeUndefined()
  })

  it('keeps the annotations of its holder across renewals', async () => {
    const server = await leases()
    const held = await hold(server, {pace})

    await held.annotate({'kk.openstack.org/removing': 'since noon', note: 'a'})
    await held.annotate({note: null})
    const version = Number(server.lease?.metadata.resourceVersion)
    await expect.poll(() => Number(server.lease?.metadata.resourceVersion)).toBeGreaterThan(version)

    expect(server.lease?.metadata.annotations).toEqual({
      'kk.openstack.org/holder': expect.stringContaining('"holder":"me"'),
      'kk.openstack.org/release': RELEASE,
      'kk.openstack.org/removing': 'since noon',
    })
    await held.release()
    expect(server.lease).toBeUndefined()
  })

  it('drops the deletion marker of an earlier holder, and keeps other annotations', async () => {
    const server = await leases({holderIdentity: 'other', leaseDurationSeconds: 1})
    const annotations = {'kk.openstack.org/removing': 'other', note: 'a'}
    server.lease = {...server.lease!, metadata: {...server.lease!.metadata, annotations}}

    const held = await hold(server)

    expect(server.lease?.metadata.annotations).toMatchObject({note: 'a'})
    expect(server.lease?.metadata.annotations).not.toHaveProperty('kk.openstack.org/removing')
    await held.release()
  })

  it('keeps the operation of a killed run if it is released before helm was started', async () => {
    const server = await leases({holderIdentity: 'dead', leaseDurationSeconds: 1})
    const operation = {[OPERATION]: '{"run":"dead"}'}
    server.lease = {...server.lease!, metadata: {...server.lease!.metadata, annotations: operation}}

    const idle = await hold(server)
    await idle.release()

    expect(server.lease?.metadata.annotations).toMatchObject(operation)
    expect(server.lease?.spec?.holderIdentity).toBeUndefined()
    const working = await hold(server)
    await working.annotate({[OPERATION]: '{"run":"mine"}'})
    await working.release()
    expect(server.lease).toBeUndefined()
  })

  it('cannot be annotated after another process has taken it', async () => {
    const server = await leases()
    const held = await hold(server)
    server.lease = {
      ...server.lease!,
      metadata: {...server.lease!.metadata, resourceVersion: '99'},
      spec: {holderIdentity: 'thief'},
    }

    await expect(held.annotate({note: 'a'})).rejects.toMatchObject({code: 'KK_LEASE_LOST'})

    expect(held.lost.aborted).toBe(true)
    await held.release()
  })

  it("is taken over when it was unchanged for its duration, whatever the holder's clock", async () => {
    const server = await leases({
      holderIdentity: 'other',
      leaseDurationSeconds: 1,
      renewTime: '2999-01-01T00:00:00.000000Z',
    })
    const told: string[] = []

    const held = await hold(server, {onHeld: (by) => told.push(by), pace: {...pace, renewDeadline: 500}})

    // The time that it was waited for is none that it was not renewed for.
    expect(() => held.expectHeld()).not.toThrow()
    expect(server.lease?.spec).toMatchObject({holderIdentity: 'me', leaseTransitions: 1})
    expect(told).toEqual(['other'])
    expect(held.takenFrom).toBe('other, who has not renewed it for 1 s')
  })

  it('is not taken over only because its renewal time is old', async () => {
    const server = await leases({
      holderIdentity: 'other',
      leaseDurationSeconds: 60,
      renewTime: '2000-01-01T00:00:00.000000Z',
    })

    await expect(hold(server, {deadline: Date.now()})).rejects.toMatchObject({
      code: 'KK_HELD',
      message: 'openstack/keystone is held by other',
    })
  })

  it('is taken over at once if its process on this machine is gone', async () => {
    const server = await leases({holderIdentity: 'other', leaseDurationSeconds: 60})
    annotate(server, {[HOLDER]: {holder: 'other', ...(await goneProcess())}})

    const held = await hold(server, {deadline: Date.now()})

    expect(server.lease?.spec).toMatchObject({holderIdentity: 'me', leaseTransitions: 1})
    expect(held.takenFrom).toBe('other, whose process is gone')
  })

  it.each([
    ['runs', async () => ({holder: 'other', ...(await thisProcess())})],
    ['is of another machine', async () => ({holder: 'other', ...(await goneProcess()), host: 'elsewhere'})],
    ['is of another holder', async () => ({holder: 'third', ...(await goneProcess())})],
  ])('is not taken over from a process that %s', async (_, note) => {
    const server = await leases({holderIdentity: 'other', leaseDurationSeconds: 60})
    annotate(server, {[HOLDER]: await note()})

    await expect(hold(server, {deadline: Date.now()})).rejects.toMatchObject({code: 'KK_HELD'})
  })

  it('is not taken over while the helm of a killed process still runs', async () => {
    const server = await leases({holderIdentity: 'other', leaseDurationSeconds: 1})
    const [kk, helm] = [await goneProcess(), await identifyProcess(process.pid)]
    const operation = {verb: 'upgrade', revision: 2, run: 'r', environment: 'e', deadline: 0, kk, helm}
    annotate(server, {[HOLDER]: {holder: 'other', ...kk}, [OPERATION]: operation})
    const told: string[] = []

    const holding = hold(server, {deadline: Date.now() + 1500, onHeld: (by) => told.push(by)})

    await expect(holding).rejects.toMatchObject({code: 'KK_HELD'})
    expect(told).toEqual([`other, which is gone, but whose helm (process ${process.pid}) still runs`])
  })

  it.each([
    ['the cluster that the pod is in', {isOfPod: true}, true],
    ['another cluster', {}, false],
  ] as const)('identifies the pod of its holder only in %s', async (_, where, isTold) => {
    vi.stubEnv('KK_POD_NAMESPACE', 'kk-system')
    vi.stubEnv('KK_POD_NAME', 'kk-operator-x')
    vi.stubEnv('KK_POD_UID', 'u')
    const server = await leases()

    const held = await holdLease(
      {...server.client, ...where},
      {release: RELEASE, holder: 'me', deadline: Date.now() + 20_000},
    )

    expect(server.lease?.metadata.annotations?.[HOLDER]?.includes('kk-operator-x')).toBe(isTold)
    await held.release()
    vi.unstubAllEnvs()
  })

  it('is not waited for after an abort, without a pending timer', async () => {
    const server = await leases({holderIdentity: 'other', leaseDurationSeconds: 60})
    const stopping = new AbortController()
    const holding = hold(server, {
      stop: stopping.signal,
      deadline: Number.POSITIVE_INFINITY,
      onHeld: () => stopping.abort(),
    })

    await expect(holding).rejects.toMatchObject({name: 'AbortError'})

    const asked = server.asked.length
    await delay(1_200)
    expect(server.asked).toHaveLength(asked)
    expect(server.lease?.spec?.holderIdentity).toBe('other')
  })

  it('is neither renewed nor deleted after it is left', async () => {
    const server = await leases()
    const held = await hold(server, {pace})

    await held.leave()
    await held.release()

    const version = server.lease?.metadata.resourceVersion
    await held.annotate({note: 'a'})
    await delay(3 * pace.renewPeriod)
    expect(Number(server.lease?.metadata.resourceVersion)).toBe(Number(version) + 1)
  })

  it('is lost when another process takes it', async () => {
    const server = await leases()
    const held = await hold(server, {pace})

    server.lease = {
      ...server.lease!,
      metadata: {...server.lease!.metadata, resourceVersion: '99'},
      spec: {holderIdentity: 'thief'},
    }

    await expect.poll(() => held.lost.aborted).toBe(true)
    expect(held.lost.reason).toMatchObject({
      code: 'KK_LEASE_LOST',
      message: 'the hold on openstack/keystone was lost: thief has it now',
    })
    await held.release()
    expect(server.lease?.spec?.holderIdentity).toBe('thief')
  })

  it('is lost at the renewal deadline, and not before', async () => {
    const server = await leases()
    const held = await hold(server, {pace})
    const renewals = () => server.asked.filter(({method}) => method === 'PUT').length
    const before = renewals()

    server.isDown = true

    await expect.poll(() => held.lost.aborted).toBe(true)
    expect(renewals() - before).toBeGreaterThan(1)
    expect(held.lost.reason).toMatchObject({message: expect.stringContaining('unreachable for too long')})
  })

  it('is lost for a process that was stopped, before its timers fire', async () => {
    const server = await leases()
    const held = await hold(server, {pace: {...pace, renewPeriod: 60_000, renewDeadline: 60_000}})
    expect(() => held.expectHeld()).not.toThrow()

    const stopped = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_001)
    try {
      expect(() => held.expectHeld()).toThrow(expect.objectContaining({code: 'KK_LEASE_LOST'}))
    } finally {
      stopped.mockRestore()
    }

    expect(held.lost.aborted).toBe(true)
  })

  it('survives a short outage, and an update whose response was lost', async () => {
    const server = await leases()
    const held = await hold(server, {pace: {...pace, renewDeadline: 10_000}})
    server.isDown = true
    await expect.poll(() => server.asked.filter(({method}) => method === 'PUT').length).toBeGreaterThan(1)
    server.lease = {...server.lease!, metadata: {...server.lease!.metadata, resourceVersion: '50'}}

    server.isDown = false

    await expect.poll(() => server.asked.filter(({method}) => method === 'GET').length).toBeGreaterThan(1)
    expect(held.lost.aborted).toBe(false)
    await held.release()
    expect(server.lease).toBeUndefined()
  })
})
