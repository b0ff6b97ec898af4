import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {findSwitch, moveGateways, returnGateways} from '../../../src/verbs/nodes/gateways.ts'
import {podOf} from '../../audit/support/answering-pods.ts'
import {ENVIRONMENT} from './support/cloud.ts'

const FILES = join(import.meta.dirname, '../../..')

/** The switch of node `a`, and what was executed there; a reading is the chassis of each gateway. */
async function nodeSwitch(
  readings: readonly (readonly string[])[],
  mappings = '"public:br-ex"',
  hostname = 'a',
) {
  const commands: string[] = []
  let reading = 0
  const pods = [
    podOf('ovn', 'controller', {name: 'ovn-controller-a', node: 'a'}),
    podOf('ovn', 'controller', {name: 'ovn-controller-b', node: 'b'}),
    podOf('ovn', 'sb', {node: 'c'}),
  ]
  const found = await findSwitch(
    {
      files: FILES,
      exec: {
        pods: async () => pods,
        async run({pod, command}) {
          if (pod !== 'ovn-sb-0') {
            commands.push(`${pod}: ${command.slice(2).join(' ')}`)
            return {code: 0, stdout: command.includes('get') ? mappings : '', stderr: ''}
          }
          const bindings = readings[Math.min(reading++, readings.length - 1)]!
          const tables = {
            Chassis: [
              {_uuid: 'ua', name: 'a', hostname},
              {_uuid: 'ub', name: 'b', hostname: 'b'},
            ],
            Chassis_Private: [],
            Port_Binding: bindings.map((chassis, at) => ({
              ...{logical_port: `cr-lrp-${at}`, type: 'chassisredirect', chassis},
            })),
          }
          return {code: 0, stdout: JSON.stringify({tables, members: null}), stderr: ''}
        },
      },
    },
    ENVIRONMENT,
    'a',
  )
  return {found: found!, commands}
}

const SET = 'ovn-controller-a: set Open_vSwitch . external_ids:ovn-cms-options'

describe('the gateways of routers', () => {
  it('are awaited on other nodes', async () => {
    const {found, commands} = await nodeSwitch([
      ['ua', 'ub'],
      ['ub', 'ub'],
    ])

    expect(await moveGateways(found)).toEqual([])
    expect(commands).toEqual([`${SET}=""`])
  })

  it('are not said to have moved if OVN does not know the node', async () => {
    const {found} = await nodeSwitch([['ua']], '', 'another')

    await expect(moveGateways(found)).rejects.toMatchObject({
      ...{code: 'KK_EXEC', message: 'a is no chassis of OVN, so its gateways are unknown'},
    })
  })

  it.each([
    ['"public:br-ex"', [`${SET}="enable-chassis-as-gw"`]],
    ['""', []],
  ])('may return to a node whose networks outside are %s', async (mappings, expected) => {
    const {found, commands} = await nodeSwitch([[]], mappings)

    await returnGateways(found)

    expect(commands.filter((command) => command.includes(': set'))).toEqual(expected)
  })
})
