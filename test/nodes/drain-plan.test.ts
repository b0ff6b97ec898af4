import {describe, expect, it} from 'vitest'
import {planInstances, planReturn, running} from '../../src/nodes/drain-plan.ts'
import type {CloudFacts, Host, Server} from '../../src/nodes/facts.ts'
import {unplaceable} from '../../src/nodes/room.ts'

function host(name: string, more: Partial<Host> = {}): Host {
  return {
    ...{name, zone: 'nova', isUp: true, isForcedDown: false, isEnabled: true, reason: ''},
    ...{room: {VCPU: 8, MEMORY_MB: 8192, DISK_GB: 100}, used: {VCPU: 0, MEMORY_MB: 0, DISK_GB: 0}},
    ...more,
  }
}

function server(name: string, more: Partial<Server> = {}): Server {
  return {
    ...{id: `id-${name}`, name, host: 'a', status: 'ACTIVE', task: null, isLocked: false, tags: []},
    ...{project: 'shop', user: 'ann', zone: null, needs: {VCPU: 1, MEMORY_MB: 1024}},
    ...{localDiskGB: 0, isPinned: false, devices: [], volumes: []},
    ...more,
  }
}

function facts(servers: readonly Server[], more: Partial<CloudFacts> = {}): CloudFacts {
  return {hosts: [host('a'), host('b')], servers, apart: [], ...more}
}

const tagged = (name: string, wish: string, more: Partial<Server> = {}) =>
  server(name, {tags: [`kk:maintenance=${wish}`], ...more})
const ways = (plan: ReturnType<typeof planInstances>) =>
  plan.operations.map(({do: way, name}) => (name === undefined ? way : `${way} ${name}`))
const reasons = (plan: ReturnType<typeof planInstances>) =>
  Object.fromEntries(plan.stays.map(({name, why}) => [name, why]))

describe('the plan that empties a host', () => {
  it('disables the host first, then moves what its users notice least', () => {
    const plan = planInstances(
      facts([tagged('halted', 'stop'), tagged('cold', 'cold'), server('web'), server('far', {host: 'b'})]),
      'a',
    )

    expect(ways(plan)).toEqual(['disable', 'live web', 'cold cold', 'stop halted'])
    expect(plan.stays).toEqual([])
    expect(plan.operations.map(({cost}) => cost)).toEqual([
      'nova starts no instances here',
      'copies 1024 MB of memory while it runs',
      'it is stopped while it moves',
      'it is stopped until the node returns',
    ])
  })

  it('names with their owners the instances that stay by their tags', () => {
    const plan = planInstances(facts([tagged('x', 'never'), tagged('y', 'notify')]), 'a')

    expect(ways(plan)).toEqual(['disable'])
    expect(plan.stays[0]).toEqual({
      ...{server: 'id-x', name: 'x', project: 'shop', user: 'ann'},
      why: 'its tag says so: kk:maintenance=never',
    })
    expect(reasons(plan)).toMatchObject({y: 'its owner moves it: kk:maintenance=notify'})
  })

  it.each([
    ['is locked', {isLocked: true}, 'it is locked'],
    ['is suspended', {status: 'SUSPENDED'}, 'it is SUSPENDED, and nova moves no such instance'],
    ['has failed', {status: 'ERROR'}, 'it is ERROR, and nova moves no such instance'],
    ['has an unknown wish', {tags: ['kk:maintenance=later']}, /none of live, cold, stop, notify, never$/],
    ['has a device', {devices: ['pci_passthrough:alias']}, /^it uses a device of the node \(pci_passth/],
  ] satisfies [string, Partial<Server>, string | RegExp][])('leaves an instance that %s', (_, more, why) => {
    const plan = planInstances(facts([server('x', more)]), 'a')

    expect(ways(plan)).toEqual(['disable'])
    expect(reasons(plan).x).toMatch(why)
  })

  it('moves an instance with a device if its owner lets it be stopped', () => {
    expect(ways(planInstances(facts([tagged('x', 'cold', {devices: ['port']})]), 'a'))).toEqual([
      'disable',
      'cold x',
    ])
  })

  it('moves stopped instances without starting them, unless their tag keeps them here', () => {
    const off = {status: 'SHUTOFF'}
    const kept = server('w', {...off, tags: ['kk:stopped']})
    const all = [kept, server('x', off), tagged('y', 'stop', off), tagged('z', 'never', off)]

    const plan = planInstances(facts(all), 'a')

    expect(ways(plan)).toEqual(['disable', 'cold x'])
    expect(plan.operations[1]!.cost).toBe('it is stopped, and stays so')
    expect(plan.stays).toEqual([])
    expect(running(facts(all), 'a')).toEqual([])
  })

  it('says that a disk on the host is copied, and that pinned CPUs change', () => {
    const [, operation] = planInstances(
      facts([server('x', {localDiskGB: 20, isPinned: true})]),
      'a',
    ).operations

    expect(operation!.cost).toBe(
      'copies 1024 MB of memory and a disk of 20 GB while it runs; it gets other pinned CPUs',
    )
  })

  it('moves nothing off a host whose nova-compute is down, and nothing where none is', () => {
    const hosts = [host('a', {isUp: false}), host('b')]

    const plan = planInstances(facts([server('x')], {hosts}), 'a')

    expect(ways(plan)).toEqual(['disable'])
    expect(reasons(plan)).toEqual({x: 'nova-compute of its node is down, and cannot move it'})
    expect(planInstances(facts([]), 'controller')).toEqual({operations: [], stays: []})
  })
})

describe('the room on other hosts', () => {
  const why = (servers: readonly Server[], more: Partial<CloudFacts> = {}) =>
    Object.fromEntries(
      [...unplaceable(servers, facts(servers, more))].map(([{name}, reason]) => [name, reason]),
    )

  it('is found for the largest first', () => {
    const hosts = [host('a'), host('b', {room: {VCPU: 8, MEMORY_MB: 3072}})]
    const servers = [server('small'), server('large', {needs: {VCPU: 2, MEMORY_MB: 3072}})]

    expect(why(servers, {hosts})).toEqual({small: 'no other host has 1 vCPUs, 1024 MB of memory left'})
  })

  it('is not on hosts that are down, disabled, forced down, or lack a resource', () => {
    const hosts = [
      host('a'),
      ...[{isUp: false}, {isEnabled: false}, {isForcedDown: true}].map((more, at) => host(`b${at}`, more)),
    ]

    expect(why([server('x')], {hosts})).toEqual({x: 'there is no other host'})
    expect(why([server('x', {needs: {PCPU: 2}})])).toEqual({x: 'no other host has 2 pinned CPUs left'})
  })

  it('is only in the zone of an instance', () => {
    expect(why([server('x', {zone: 'east'})])).toEqual({x: 'no other host is in the zone east'})
    expect(why([server('x', {zone: 'nova'})])).toEqual({})
  })

  it('is apart from the members of an anti-affinity group, also from those that move too', () => {
    const apart = [{id: 'g', members: ['id-x', 'id-y', 'id-z']}]
    const hosts = [host('a'), host('b'), host('c')]
    const [x, y, z] = [server('x'), server('y'), server('z', {host: 'b'})]

    const failed = unplaceable([x, y], {hosts, servers: [x, y, z], apart})

    expect([...failed]).toEqual([[y, 'each other host has a member of its anti-affinity group']])
  })
})

it('a return enables the host, and starts what the drain has stopped', () => {
  const stopped = server('x', {status: 'SHUTOFF', tags: ['kk:stopped']})

  expect(planReturn(facts([stopped, server('y', {status: 'SHUTOFF'})]), 'a')).toEqual([
    {do: 'enable', host: 'a'},
    {do: 'start', host: 'a', server: 'id-x'},
  ])
})
