import {describe, expect, it} from 'vitest'
import {gather, podsFor} from '../../src/audit/gather.ts'
import {KkError} from '../../src/base/errors.ts'
import {answeringPods, podOf} from './support/answering-pods.ts'

const scope = (...charts: readonly string[]) => ({namespaces: ['openstack'], charts: new Set(charts)})
const DOMAINS = {hostname: 'one.example', domains: []}

describe('the facts of a cloud', () => {
  it('are read by each collector, with its input, in the pod of its service', async () => {
    const {ports, programs} = answeringPods([podOf('rabbitmq', 'server')], {
      'rabbitmq-server-0': () => ({members: ['rabbit@0'], running: [], queues: []}),
    })

    const {facts, asked, notAsked} = await gather(ports, scope('rabbitmq'))

    expect(facts.bus?.members).toEqual(['rabbit@0'])
    expect({asked, notAsked}).toEqual({asked: ['rabbitmq'], notAsked: []})
    expect(programs[0]).toMatchObject({pod: 'rabbitmq-server-0', container: 'server'})
    expect(programs[0]!.input).toMatch(/^import json\nINPUT = json\.loads\("\{\}"\)\n# rabbitmq$/)
  })

  it('are read on every node', async () => {
    const pods = [podOf('libvirt', 'libvirt'), podOf('libvirt', 'libvirt', {name: 'second', node: 'two'})]
    const {ports} = answeringPods(pods, {'libvirt-libvirt-0': () => DOMAINS, second: () => DOMAINS})

    const {facts, asked} = await gather(ports, scope('libvirt'))

    expect([...facts.hypervisors.keys()]).toEqual(['one', 'two'])
    expect(asked).toEqual(['libvirt on one', 'libvirt on two'])
  })

  it('are not asked of a service that is not deployed', async () => {
    const {ports, programs} = answeringPods([podOf('rabbitmq', 'server')], {})

    const {asked, notAsked} = await gather(ports, scope('keystone-of-another'))

    expect([asked, notAsked, programs]).toEqual([[], [], []])
  })

  it.each([
    ['has no pod', [], {}, 'rabbitmq has no pod of server'],
    [
      'is not running',
      [podOf('rabbitmq', 'server', {isRunning: false})],
      {},
      'pod rabbitmq-server-0 is not running',
    ],
    [
      'fails',
      [podOf('rabbitmq', 'server')],
      {'rabbitmq-server-0': () => ({code: 1, stderr: 'Traceback\nError: nodedown\n'})},
      'pod rabbitmq-server-0: Error: nodedown',
    ],
    [
      'may not be asked',
      [podOf('rabbitmq', 'server')],
      {'rabbitmq-server-0': () => new KkError('KK_FORBIDDEN', 'may not execute a program')},
      'may not execute a program',
    ],
  ])('name a source that %s', async (_, pods, answers, reason) => {
    const {ports} = answeringPods(pods, answers)

    const {facts, asked, notAsked} = await gather(ports, scope('rabbitmq'))

    expect(facts.bus).toBeUndefined()
    expect({asked, notAsked}).toEqual({asked: [], notAsked: [{source: 'rabbitmq', reason}]})
  })
})

describe('the pods of a collector', () => {
  const source = {chart: 'nova', components: ['conductor', 'api']}

  it('are the first component that runs', () => {
    const conductor = podOf('nova', 'conductor', {isRunning: false})

    expect(podsFor(source, [conductor, podOf('nova', 'api')])).toEqual([podOf('nova', 'api')])
    expect(podsFor(source, [conductor])).toEqual([conductor])
  })
})
