import {chmod, readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {get, kubectl} from './support/cluster.ts'
import {openCorner} from './support/corner.ts'
import {revisions} from './support/records.ts'

interface Secret {
  readonly data: Readonly<Record<string, string>>
}

const THREE = `kk:
  OWN
  releases: {one: {chart: workload}, two: {chart: workload}, three: {chart: workload}}
one: {}
two: {}
`

/** A directory whose chart `workload` reads a password that a plugin declares. */
async function openWithPlugin(text: string) {
  const corner = await openCorner(text)
  const need = {name: 'database.password', kind: 'password', path: ['conf', 'database_password']}
  const plugin = await corner.write(
    'plugins/workload',
    `#!/bin/sh
grep -q describe && echo '${JSON.stringify({chart: 'workload', secrets: [need]})}' || echo '{"values": {}}'
`,
  )
  await chmod(plugin, 0o755)
  const env = {KK_PLUGINS: join(corner.directory, 'plugins')}
  return {corner, kk: (...args: string[]) => corner.kk(args, {env})}
}

it('a password is taken from the Secret that the environment names, and follows its changes', async () => {
  const {corner, kk} = await openWithPlugin(`kk:
  OWN
  releases: {one: {chart: workload}}
  secrets: {database.password: {secret: of-others, key: password}}
one: {}
`)
  const namespace = ['--namespace', corner.name]
  const secret = async (verb: 'create' | 'replace', value: string) => {
    const object = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {name: 'of-others'},
      stringData: {password: value},
    }
    await kubectl([
      verb,
      '--filename',
      await corner.write('secret.json', JSON.stringify(object)),
      ...namespace,
    ])
  }
  await kubectl(['create', 'namespace', corner.name]).catch(() => undefined)

  const refused = await kk('deploy', 'env.yaml')
  await secret('create', 'first-of-others')
  const deployed = await kk('deploy', 'env.yaml')
  const unchanged = await kk('plan', 'env.yaml')
  await secret('replace', 'second-of-others')
  const changed = await kk('plan', 'env.yaml', '--diff')
  const upgraded = await kk('deploy', 'env.yaml')

  expect(refused).toMatchObject({exitCode: 2})
  expect(refused.stderr).toContain(`the Secret ${corner.name}/of-others does not exist`)
  expect(deployed.exitCode, deployed.stderr).toBe(0)
  expect(unchanged.stdout).toContain('plan: 1 unchanged')
  expect(changed.stdout).toContain('system overrides changed')
  expect(upgraded.exitCode, upgraded.stderr).toBe(0)
  expect(await revisions(corner.name)).toEqual({one: 2})
  for (const {stdout, stderr} of [deployed, unchanged, changed, upgraded])
    expect(stdout + stderr).not.toMatch(/(?:first|second)-of-others/)
})

it('passwords that no file states are generated once, stored in the cluster, used by all releases, and never shown', async () => {
  const {corner, kk} = await openWithPlugin(`${THREE}three: {conf: {database_password: stated-by-hand}}\n`)
  const name = `kk-secrets-${corner.name}`
  const kept = async () => {
    const {data} = await get<Secret>('secret', name, '--namespace', 'kk-system')
    return Buffer.from(data['database.password']!, 'base64').toString()
  }

  const planned = await kk('plan', 'env.yaml', '--save', 'plan.json')
  const afterPlan = await get<{items: readonly {metadata: {name: string}}[]}>(
    'secrets',
    '--namespace',
    'kk-system',
  ).catch(() => ({items: []}))
  const deployed = await kk('apply', 'plan.json')
  expect(planned.exitCode, planned.stderr).toBe(0)
  expect(deployed.exitCode, deployed.stderr).toBe(0)
  const password = await kept()
  const again = await kk('deploy', 'env.yaml', '--output', 'ndjson')
  await kubectl(['delete', 'secret', name, '--namespace', 'kk-system'])
  const lost = await kk('plan', 'env.yaml')
  const restored = await kk('deploy', 'env.yaml')
  const status = await kk('status', 'env.yaml')
  const shown = await kk('values', 'show', 'one', '-e', 'env.yaml')

  expect(planned.stdout).toContain('1 new secret, made when this is run (kk plan --secrets names them)')
  expect(afterPlan.items.map(({metadata}) => metadata.name)).not.toContain(name)
  expect(password).toMatch(/^[A-Za-z0-9._-]{24}$/)
  expect(again.exitCode).toBe(0)
  expect(lost.stdout).toContain('plan: 3 unchanged')
  expect(lost.stdout).toMatch(
    new RegExp(`in use .* helm's records.*: ${corner.name}/database.password$`, 'm'),
  )
  expect(restored.exitCode, restored.stderr).toBe(0)
  expect(await kept()).toBe(password)
  expect(await revisions(corner.name)).toEqual({one: 1, two: 1, three: 1})
  expect(status.stdout).not.toContain('changed')

  const namespace = ['--namespace', corner.name]
  const rotation = ['secrets', 'rotate', 'database.password', '-e', 'env.yaml']
  await corner.write(
    'passwords.yml',
    'glance_database_password: from-kolla-1\nswift_hash_path_suffix: unused-1\n',
  )
  const refused = await kk(...rotation)
  const unchanged = await kept()
  const rotated = await kk(...rotation, '--yes')
  const next = rotated.stderr.match(/^next: kk (.+)$/m)![1]!
  const upgraded = await kk(...next.split(' '))
  const imported = await kk('secrets', 'import', 'passwords.yml', ...namespace)
  const listed = await kk('secrets', 'list', ...namespace, '--output', 'json')

  expect(refused).toMatchObject({exitCode: 3, stderr: expect.stringContaining('KK_UNCONFIRMED')})
  expect(refused.stderr).toContain('system overrides changed')
  expect(unchanged).toBe(password)
  expect(rotated.exitCode, rotated.stderr).toBe(0)
  expect(await kept()).not.toBe(password)
  expect(upgraded.exitCode, upgraded.stderr).toBe(0)
  expect(await revisions(corner.name)).toEqual({one: 2, two: 2, three: 1})
  expect(imported.stdout).toBe(
    `${corner.name}/oslo_db.glance.password from glance_database_password: added\nnot used by kk: swift_hash_path_suffix`,
  )
  expect(JSON.parse(listed.stdout).secrets).toMatchObject([
    {name: 'database.password', kind: 'password', keptIn: 'cluster', charts: ['workload']},
    {name: 'oslo_db.glance.password', kind: 'password', keptIn: 'cluster'},
  ])
  await corner.write(
    'env.yaml',
    `${THREE}three: {}
`,
  )
  const deleted = await kk('deploy', 'env.yaml')
  const untouched = await revisions(corner.name)
  const confirmed = await kk('deploy', 'env.yaml', '--yes')
  expect(deleted).toMatchObject({exitCode: 3, stderr: expect.stringContaining('KK_UNCONFIRMED')})
  expect(deleted.stderr).toContain(`would be replaced: ${corner.name}/database.password`)
  expect(untouched).toMatchObject({three: 1})
  expect(confirmed.exitCode, confirmed.stderr).toBe(0)
  expect(await revisions(corner.name)).toMatchObject({three: 2})
  const written = await Promise.all(
    (await readdir(corner.directory, {recursive: true, withFileTypes: true}))
      .filter((entry) => entry.isFile())
      .map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8')),
  )
  const said = [
    planned,
    deployed,
    again,
    lost,
    restored,
    status,
    shown,
    refused,
    rotated,
    upgraded,
    imported,
    listed,
  ].flatMap(({stdout, stderr}) => [stdout, stderr])
  for (const secret of [password, await kept()])
    expect([...written, ...said].join('\n')).not.toContain(secret)
  expect(said.join('\n')).not.toContain('from-kolla-1')
})
