import {expect, it} from 'vitest'
import {
  adoptEnvironment,
  changeSource,
  drivenEnvironment,
  pauseEnvironment,
  retryEnvironment,
} from '../../../src/operator/client/steer.ts'

/** A cluster whose only Environment has this spec. */
function clusterWith(spec: object) {
  const found = {metadata: {name: 'production'}, spec: {source: {configMap: 'production'}, ...spec}}
  const objects = {read: async () => found}
  return {objects} as unknown as Parameters<typeof drivenEnvironment>[0]
}

it('an Environment that is suspended is not given another file', async () => {
  const refused = drivenEnvironment(clusterWith({suspend: true}), 'production')

  const hint = expect.stringContaining('kk operator resume production')
  await expect(refused).rejects.toMatchObject({code: 'KK_PAUSED', exit: 3, hint})
})

it('one that the operator drives here is', async () => {
  await expect(drivenEnvironment(clusterWith({}), 'production')).resolves.toMatchObject({
    metadata: {name: 'production'},
  })
})

it('one whose file is in a registry is not given another one', async () => {
  const oci = `registry.example.org/clouds/production@sha256:${'0'.repeat(64)}`
  const source = {file: 'api: {}', overrides: undefined}

  const refused = changeSource(clusterWith({source: {oci}}), 'production', {source, now: new Date()})

  await expect(refused).rejects.toMatchObject({code: 'KK_USAGE', message: expect.stringContaining(oci)})
})

it('one that is suspended is not tried again', async () => {
  const refused = retryEnvironment(clusterWith({suspend: true}), 'production', new Date())

  await expect(refused).rejects.toMatchObject({code: 'KK_PAUSED'})
})

it.each([
  ['nobody leads', undefined, ['no process of the operator leads now: production is paused once one does']],
  ['somebody leads', {holder: 'operator a (process 1)', runsOut: 2_000}, []],
])('while %s, a pause says what it waits for', async (_, lease, expected) => {
  const conditions = [{type: 'Paused', status: 'True', observedGeneration: 1}]
  const found = {metadata: {name: 'production', generation: 1}, spec: {}, status: {conditions}}
  const said: string[] = []
  const cluster = {
    objects: {read: async () => found, merge: async () => undefined},
    lease: async () => lease,
    now: () => 1_000,
  } as unknown as Parameters<typeof pauseEnvironment>[0]

  await pauseEnvironment(cluster, 'production', {until: 0, say: (line) => said.push(line)})

  expect(said).toEqual(expected)
})

it('an environment that is handed over is suspended before its inputs are written', async () => {
  const written: string[] = []
  const objects = {
    list: async () => [],
    apply: async (_: unknown, {kind, metadata}: {kind: string; metadata: {name: string}}) =>
      void written.push(`${kind}/${metadata.name}`),
  }
  const cluster = {objects} as unknown as Parameters<typeof adoptEnvironment>[0]

  await adoptEnvironment(cluster, 'production', {file: 'api: {}', overrides: 'kk: {}'})

  expect(written).toEqual(['Environment/production', 'ConfigMap/production', 'Secret/production-overrides'])
})
