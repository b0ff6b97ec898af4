import {expect, it} from 'vitest'
import {mixedLists, writeLists} from '../../../src/run/execute/mixed-lists.ts'

const service = (...protocols: readonly string[]) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {name: 'dns'},
  spec: {ports: protocols.map((protocol) => ({name: protocol.toLowerCase(), port: 53, protocol}))},
})
const last = (object: object, applyMethod?: string) => ({
  release: 'openstack/dns' as const,
  manifest: JSON.stringify(object),
  applyMethod,
})

it.each([
  ['has more ports of one number', service('TCP', 'UDP'), last(service('TCP')), 1],
  ['had more ports of one number', service('TCP'), last(service('TCP', 'UDP')), 1],
  ['has one port', service('UDP'), last(service('TCP')), 0],
  ['has more, and helm writes it on the server side', service('TCP', 'UDP'), last(service('TCP'), 'ssa'), 0],
  ['has more, and is new', service('TCP', 'UDP'), undefined, 0],
])('mixedLists handles a Service that %s: %#', (_, object, before, count) => {
  expect(mixedLists([object], before)).toHaveLength(count)
})

it('writeLists writes lists that helm mixes up with the marks of helm', async () => {
  const written: unknown[] = []
  const said: string[] = []

  await writeLists(
    {
      action: {release: 'openstack/dns'},
      cluster: {live: {correct: async (options: unknown) => void written.push(options)}},
      controls: {onProgress: (_: string, message: string) => void said.push(message)},
    } as unknown as Parameters<typeof writeLists>[0],
    [service('TCP', 'UDP')],
  )

  expect(written).toMatchObject([
    {
      namespace: 'openstack',
      method: 'client-side',
      objects: [{metadata: {name: 'dns', labels: {'app.kubernetes.io/managed-by': 'Helm'}}}],
    },
  ])
  expect(said).toEqual(['corrected lists that helm mixes up: Service/dns'])
})
