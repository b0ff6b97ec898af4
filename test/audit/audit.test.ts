import {describe, expect, it} from 'vitest'
import {audit} from '../../src/audit/audit.ts'
import type {Finding} from '../../src/audit/finding.ts'
import {answeringPods, podOf} from './support/answering-pods.ts'

const scope = {releases: [{namespace: 'openstack', name: 'rabbitmq', chart: 'rabbitmq'}]}
const HEALTHY = {members: ['rabbit@0', 'rabbit@1'], running: ['rabbit@0', 'rabbit@1'], queues: []}
const other = async () => ({source: 'certificates', findings: []})

/** A RabbitMQ of which the members run that each reading finds, in order. */
function readings(...running: readonly (readonly string[])[]) {
  let reading = 0
  const answer = () => ({...HEALTHY, running: running[reading++]})
  return answeringPods([podOf('rabbitmq', 'server')], {'rabbitmq-server-0': answer})
}

async function settle(): Promise<void> {}

describe('an audit', () => {
  it('reads a consistent cloud once', async () => {
    const {ports, programs} = readings(HEALTHY.members)

    const {findings, asked} = await audit({ports, scope, other, settle})

    expect(findings).toEqual([])
    expect(asked).toEqual(['rabbitmq', 'certificates'])
    expect(programs).toHaveLength(1)
  })

  it('reports what is wrong in two readings', async () => {
    const {ports} = readings(['rabbit@0'], ['rabbit@0'])

    const {findings} = await audit({ports, scope, other, settle})

    expect(findings.map(({kind, ids}) => [kind, ...ids])).toEqual([['BUS_MEMBER_DOWN', 'rabbit@1']])
  })

  it.each([
    ['is right in the second', HEALTHY.members],
    ['is wrong in another way in the second', ['rabbit@1']],
  ])('does not report what %s reading', async (_, second) => {
    const {ports} = readings(['rabbit@0'], second)

    const {findings} = await audit({ports, scope, other, settle})

    expect(findings).toEqual([])
  })

  it('reports findings of certificates, and names them if they cannot be read', async () => {
    const ending: Finding = {
      ...{kind: 'CERTIFICATE_ENDS', certainty: 'certain', ids: ['x'], what: 'x ends'},
      repair: {command: ['kk upgrade']},
    }
    const {ports} = readings(HEALTHY.members, HEALTHY.members, HEALTHY.members)

    const seen = await audit({
      ports,
      scope,
      settle,
      other: async () => ({source: 'certificates', findings: [ending]}),
    })
    const unseen = await audit({
      ports,
      scope,
      settle,
      other: async () => ({source: 'certificates', reason: 'no'}),
    })

    expect(seen.findings).toEqual([ending])
    expect(unseen.notAsked).toEqual([{source: 'certificates', reason: 'no'}])
  })

  it('names a database whose migrations are not known', async () => {
    const schema = {applied: ['r1'], known: null, pending: [], unknown: []}
    const {ports} = answeringPods([podOf('keystone', 'api')], {
      'keystone-api-0': () => ({keystone: {projects: [], schema}}),
    })

    const {asked, notAsked} = await audit({
      ...{ports, other, settle},
      scope: {releases: [{namespace: 'openstack', name: 'keystone', chart: 'keystone'}]},
    })

    expect(asked).toEqual(['keystone', 'certificates'])
    expect(notAsked).toEqual([{source: 'migrations of keystone', reason: 'they were not found in the image'}])
  })
})
