import {expect, it} from 'vitest'
import {
  adoptEnvironment,
  approvePlan,
  changeSource,
  managedEnvironment,
  pauseEnvironment,
  retryEnvironment,
} from '../../../src/operator/client/environment-commands.ts'

/** A cluster whose only Environment has this spec. */
function clusterWith(spec: object) {
  const found = {metadata: {name: 'production'}, spec: {source: {configMap: 'production'}, ...spec}}
  const objects = {read: async () => found}
  return {objects} as unknown as Parameters<typeof managedEnvironment>[0]
}

it('a suspended Environment is refused for changes', async () => {
  const refused = managedEnvironment(clusterWith({suspend: true}), 'production')

  const hint = expect.stringContaining('kk operator resume production')
  await expect(refused).rejects.toMatchObject({code: 'KK_PAUSED', exit: 3, hint})
})

it('an Environment that is not suspended is accepted for changes', async () => {
  await expect(managedEnvironment(clusterWith({}), 'production')).resolves.toMatchObject({
    metadata: {name: 'production'},
  })
})

it('the file of an Environment is not changed if it is in a registry', async () => {
  const oci = `registry.example.org/clouds/production@sha256:${'0'.repeat(64)}`
  const source = {file: 'api: {}', overrides: undefined}

  const refused = changeSource(clusterWith({source: {oci}}), 'production', {source, now: new Date()})

  await expect(refused).rejects.toMatchObject({code: 'KK_USAGE', message: expect.stringContaining(oci)})
})

it('the plan of a suspended Environment is not approved', async () => {
  const refused = approvePlan(clusterWith({suspend: true}), 'production', '0123456789abcdef')

  await expect(refused).rejects.toMatchObject({code: 'KK_PAUSED', message: expect.stringContaining('paused')})
})

it('a suspended Environment is not retried', async () => {
  const cluster = clusterWith({suspend: true}) as Parameters<typeof retryEnvironment>[0]

  const refused = retryEnvironment(cluster, 'production', {now: new Date(), say: () => undefined})

  await expect(refused).rejects.toMatchObject({code: 'KK_PAUSED'})
})

it.each([
  ['nobody leads', undefined, 'no process of the operator leads now: production is retried once one does'],
  [
    'the operator leads',
    {holder: 'operator a (process 1)', runsOut: 2_000},
    'the operator retries production',
  ],
])('while %s, a retry reports when it is made', async (_, lease, expected) => {
  const said: string[] = []
  const cluster = {
    objects: {read: async () => ({metadata: {name: 'production'}, spec: {}}), merge: async () => undefined},
    leases: {read: async () => lease, now: () => 1_000},
  } as unknown as Parameters<typeof retryEnvironment>[0]

  await retryEnvironment(cluster, 'production', {now: new Date(), say: (line) => said.push(line)})

  expect(said).toEqual([expected])
})

it.each([
  ['nobody leads', undefined, ['no process of the operator leads now: production is paused once one does']],
  ['the operator leads', {holder: 'operator a (process 1)', runsOut: 2_000}, []],
])('while %s, a pause reports what it waits for', async (_, lease, expected) => {
  const conditions = [{type: 'Paused', status: 'True', observedGeneration: 1}]
  const found = {metadata: {name: 'production', generation: 1}, spec: {}, status: {conditions}}
  const said: string[] = []
  const cluster = {
    objects: {read: async () => found, merge: async () => undefined},
    leases: {read: async () => lease, now: () => 1_000},
  } as unknown as Parameters<typeof pauseEnvironment>[0]

  await pauseEnvironment(cluster, 'production', {until: 0, say: (line) => said.push(line)})

  expect(said).toEqual(expected)
})

it('an adopted environment is suspended before its inputs are written', async () => {
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

/** What is written where the cluster has an Environment of this source, or none. */
async function writtenBeside(earlier: object | undefined, given: {readonly secret?: boolean}) {
  const written: object[] = []
  const all = earlier ? [{metadata: {name: 'production'}, spec: {source: earlier}}] : []
  const objects = {
    list: async () => all,
    apply: async (
      _: unknown,
      {kind, metadata, spec}: {kind: string; metadata: {name: string}; spec?: object},
    ) => void written.push([kind, metadata.name, ...(spec ? [spec] : [])]),
    merge: async (_: unknown, __: unknown, fields: object) => void written.push(fields),
  }
  const cluster = {objects} as unknown as Parameters<typeof adoptEnvironment>[0]
  await adoptEnvironment(cluster, 'production', {file: 'api: {}', overrides: undefined, ...given})
  return written
}

it('a file moves from a ConfigMap of another field manager into a Secret', async () => {
  const written = await writtenBeside({configMap: 'cloud'}, {secret: true})

  expect(written).toEqual([
    {spec: {suspend: true, source: {secret: 'production', configMap: null}}},
    ['Environment', 'production', {source: {secret: 'production'}, suspend: true}],
    ['Secret', 'production'],
  ])
})

it.each([
  ['a Secret, if it is to', undefined, {secret: true}, 'Secret', 'production', {secret: 'production'}],
  [
    'the Secret that it is in',
    {secret: 'cloud', key: 'a.yaml'},
    {},
    'Secret',
    'cloud',
    {secret: 'cloud', key: 'a.yaml'},
  ],
  ['the ConfigMap that it is in', {configMap: 'cloud'}, {}, 'ConfigMap', 'cloud', {configMap: 'cloud'}],
])('an adopted file is written to %s', async (_, earlier, given, kind, name, source) => {
  expect(await writtenBeside(earlier, given)).toEqual([
    ['Environment', 'production', {source, suspend: true}],
    [kind, name],
  ])
})

it('an Environment whose file is in a registry cannot be adopted again', async () => {
  await expect(writtenBeside({oci: 'registry.example.org/clouds/production'}, {})).rejects.toMatchObject({
    code: 'KK_USAGE',
  })
})

it.each([
  [
    'another file changes that alone: a second change would break off what the first has begun',
    'api: {}',
    {},
  ],
  [
    'the same file has what failed tried again',
    'db: {}',
    {annotations: {'kk.openstack.org/retry': '2026-11-28T00:00:00.000Z'}},
  ],
])('%s', async (_, file, metadata) => {
  let text = 'db: {}'
  const merged: object[] = []
  const objects = {
    read: async (_: unknown, {name}: {name: string}) =>
      name === 'cloud'
        ? {data: {'environment.yaml': text}}
        : {metadata: {name}, spec: {source: {configMap: 'cloud'}}},
    apply: async (_: unknown, {data}: {data: Record<string, string>}) => {
      text = data['environment.yaml']!
    },
    merge: async (_: unknown, __: unknown, fields: object) => void merged.push(fields),
  }
  const cluster = {objects} as unknown as Parameters<typeof changeSource>[0]

  const now = new Date('2026-11-28T00:00:00Z')
  await changeSource(cluster, 'production', {source: {file, overrides: undefined}, now})

  expect(text).toBe(file)
  expect(merged).toEqual([{metadata, spec: {}}])
})
