import {describe, expect, test} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import type {Reservations} from '../../../src/kubernetes/reservations/reservation.ts'
import {port} from '../../kubernetes/support/port.ts'
import {desiredOf, recordOf} from '../../plan/fixtures.ts'
import {heldLease} from './held-lease.ts'
import {actionOf, newWorld, workOf} from './world.ts'

const keystone = desiredOf('keystone', {requires: ['mariadb', 'neutron:applied']})
type Cluster = NonNullable<NonNullable<Parameters<typeof newWorld>[0]>['cluster']>

function worldWith(reservations: Partial<Reservations>, cluster: Cluster = {}) {
  const world = newWorld({
    cluster: {
      ...cluster,
      reservations: {
        declare: async ({required, deadline}) =>
          void world.log.push(`reservation on ${required} until ${deadline}`),
        withdraw: async () => void world.log.push('withdraw reservations'),
        on: async () => [],
        deletionMarker: async () => undefined,
        ...reservations,
      },
    },
  })
  return world
}

const install = (world: ReturnType<typeof newWorld>) =>
  world.execute(actionOf('install', 0), workOf(keystone))
const reservationsIn = (world: ReturnType<typeof newWorld>) =>
  world.log.filter((line) => /reservation|helm /.test(line))

describe('an install', () => {
  test('creates a reservation on each requirement until its deadline, and withdraws them when helm has ended', async () => {
    const world = worldWith({})

    await install(world)

    expect(reservationsIn(world)).toEqual([
      'reservation on openstack/mariadb until 1060000',
      'reservation on openstack/neutron until 1060000',
      'helm: helm install',
      'helm install',
      'withdraw reservations',
      'helm ended',
    ])
  })

  test('withdraws them if helm fails, too, and ignores errors of that', async () => {
    const failing = newWorld({helm: () => Promise.reject(new KkError('KK_HELM_FAILED', 'no'))})
    const world = worldWith({withdraw: () => Promise.reject(new KkError('KK_UNREACHABLE', 'no answer'))})

    await expect(failing.execute(actionOf('install', 0), workOf(keystone))).rejects.toMatchObject({
      code: 'KK_HELM_FAILED',
    })
    expect(failing.log).toContain('withdraw reservations')
    await expect(install(world)).resolves.toEqual({revision: 1})
  })

  test('does not start if a reservation cannot be written', async () => {
    const world = worldWith({declare: () => Promise.reject(new KkError('KK_FORBIDDEN', 'no'))})

    await expect(install(world)).rejects.toMatchObject({code: 'KK_FORBIDDEN'})
    expect(world.log).not.toContain('helm install')
  })
})

describe('a requirement that is being removed', () => {
  const deletionMarkers = (count: number): Partial<Reservations> => ({
    deletionMarker: async () => (count-- > 0 ? {holder: 'grace@host'} : undefined),
  })

  test('is awaited until its Lease is free because its holder has ended or is dead', async () => {
    const world = worldWith(deletionMarkers(1))

    await install(world)

    expect(world.log.filter((line) => /hold|mariadb is|give back/.test(line)).slice(1, 4)).toEqual([
      'lease: mariadb is being removed by grace@host: waiting',
      'hold openstack/mariadb',
      'give back',
    ])
    expect(world.log).toContain('helm install')
  })

  test('is reported if it is not free in time', async () => {
    const world = worldWith(deletionMarkers(9), {
      leases: port({
        async hold(release) {
          if (release === 'openstack/mariadb') throw new KkError('KK_HELD', 'held')
          return heldLease()
        },
      }),
    })

    await expect(install(world)).rejects.toMatchObject({
      code: 'KK_HELD',
      message: 'openstack/mariadb, which keystone requires, is being removed by grace@host',
    })
    expect(world.log).not.toContain('helm install')
    expect(world.log).toContain('withdraw reservations')
  })
})

describe('an upgrade', () => {
  const upgradeFrom = async (requires: readonly string[]) => {
    const world = newWorld({record: recordOf(desiredOf('keystone', {requires}), {revision: 1})})
    await world.execute(actionOf('upgrade', 1), workOf(keystone))
    return reservationsIn(world).filter((line) => /reservation/.test(line))
  }

  test('needs reservations only for requirements that its record lacks, and withdraws those of a killed run', async () => {
    expect(await upgradeFrom(['mariadb'])).toEqual([
      'reservation on openstack/neutron',
      'withdraw reservations',
    ])
    expect(await upgradeFrom(['mariadb', 'neutron:applied'])).toEqual(['withdraw reservations'])
  })
})
