import {describe, expect, it} from 'vitest'
import {planEvacuation} from '../../src/nodes/evacuation-plan.ts'
import type {CloudFacts, Server} from '../../src/nodes/facts.ts'
import {host, server} from '../verbs/nodes/support/cloud.ts'

const OFF = {
  isSilent: true,
  clients: new Map<string, readonly string[]>([
    ['web_disk', []],
    ['volume-v', []],
  ]),
}

function plan(
  servers: readonly Server[],
  evidence: Partial<typeof OFF> | {readonly clients: undefined} = {},
  more: Partial<CloudFacts> = {},
) {
  const hosts = [host('a', {isUp: false}), host('b')]
  return planEvacuation({hosts, servers, apart: [], ...more}, 'a', {...OFF, ...evidence})
}

describe('the plan of an evacuation', () => {
  it('forces the host down, then starts its instances elsewhere', () => {
    const {doubts, operations, stays} = plan([server('web'), server('far', {host: 'b'})])

    expect(doubts).toEqual([])
    expect(operations.map(({do: way, server: id}) => [way, id])).toEqual([
      ['force-down', undefined],
      ['evacuate', 'web'],
    ])
    expect(stays).toEqual([])
  })

  it.each([
    ['its kubelet reports to Kubernetes', {isSilent: false}, {}],
    ['its nova-compute reports to nova', {}, {hosts: [host('a'), host('b')]}],
    [
      'a disk of web is still open, from 10.0.0.7',
      {
        clients: new Map([
          ['web_disk', ['10.0.0.7', '10.0.0.7']],
          ['volume-v', []],
        ]),
      },
      {},
    ],
    ['a disk of web is still open, from 10.0.0.7', {clients: new Map([['volume-v', ['10.0.0.7']]])}, {}],
  ] satisfies [string, object, Partial<CloudFacts>][])(
    'doubts that the node is off while %s',
    (doubt, evidence, more) => {
      expect(plan([server('web', {volumes: ['v']})], evidence, more).doubts).toEqual([doubt])
    },
  )

  it('believes an administrator who has forced the host down, though its nova-compute reports', () => {
    expect(plan([server('web')], {}, {hosts: [host('a', {isForcedDown: true}), host('b')]}).doubts).toEqual(
      [],
    )
  })

  it.each([
    ['its disk is a file of the node', {localDiskGB: 20}, {}],
    ['its disks are not in Ceph', {}, {clients: undefined}],
    ['it is PAUSED, and nova evacuates no such instance', {status: 'PAUSED'}, {}],
    ['no other host has 99 vCPUs left', {needs: {VCPU: 99}}, {}],
  ] satisfies [string, Partial<Server>, object][])('leaves an instance if %s', (why, more, evidence) => {
    const {operations, stays} = plan([server('web', more)], evidence)

    expect(operations.map(({do: way}) => way)).toEqual(['force-down'])
    expect(stays).toMatchObject([{name: 'web', project: 'shop', user: 'ann'}])
    expect(stays[0]!.why).toContain(why)
  })
})
