import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {get} from './support/cluster.ts'
import {openCorner} from './support/corner.ts'
import {revisions} from './support/records.ts'

interface Secret {
  readonly data: Readonly<Record<string, string>>
}

it('passwords that nobody states are made once, kept in the cluster, used by all, and shown nowhere', async () => {
  const corner = await openCorner(`kk:
  OWN
  releases: {one: {chart: workload}, two: {chart: workload}, three: {chart: workload}}
one: {}
two: {}
three: {conf: {database_password: stated-by-hand}}
`)
  await corner.write(
    'plugins/workload.yaml',
    `chart: workload
rules: []
secrets:
  - {name: database.password, kind: password, path: [conf, database_password]}
`,
  )
  const env = {KK_PLUGINS: join(corner.directory, 'plugins')}
  const kk = (...args: string[]) => corner.kk(args, {env})
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
  const status = await kk('status', 'env.yaml')
  const shown = await kk('values', 'show', 'one', '-e', 'env.yaml')

  expect(planned.stdout).toContain(`new secrets, made when this is run: ${corner.name}/database.password`)
  expect(afterPlan.items.map(({metadata}) => metadata.name)).not.toContain(name)
  expect(password).toMatch(/^[A-Za-z0-9._-]{24}$/)
  expect(again.exitCode).toBe(0)
  expect(await revisions(corner.name)).toEqual({one: 1, two: 1, three: 1})
  expect(status.stdout).not.toContain('changed')
  const written = await Promise.all(
    (await readdir(corner.directory, {recursive: true, withFileTypes: true}))
      .filter((entry) => entry.isFile())
      .map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8')),
  )
  const said = [planned, deployed, again, status, shown].flatMap(({stdout, stderr}) => [stdout, stderr])
  expect([...written, ...said].join('\n')).not.toContain(password)
})
