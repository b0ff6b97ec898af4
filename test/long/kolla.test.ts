import {readFile} from 'node:fs/promises'
import {expect, it} from 'vitest'
import {emptyCorner, openCorner} from '../e2e/support/corner.ts'
import {records} from '../e2e/support/snapshot.ts'

const CLOUD = `
kk:
  OWN
  releases:
    mariadb: {chart: workload, protected: true}
    nova: {chart: workload, requires: [mariadb]}
mariadb: {}
nova: {}
`

it('a release of the environment has precedence over a name of kolla, also in a file with such a name or from a pipe', async () => {
  const corner = await emptyCorner('kolla')
  const text = `
kk:
  OWN
  releases:
    db: {chart: workload}
    nova-compute: {chart: workload, requires: [db]}
    nova: {chart: workload}
nova-compute: {}
nova: {}
`
  const file = await corner.write('nova-control.yaml', text)
  const input = await readFile(file, 'utf8')

  const bootstrapped = await corner.kk(['kolla', 'bootstrap', 'nova_compute', '-'], {input})
  const run = await corner.kk(['kolla', 'run', 'nova_compute', 'nova-control.yaml'])
  const nameless = await corner.kk(['kolla', 'run', 'nova-control.yaml'])
  const cleaning = await corner.kk(['kolla', 'kill', 'nova-cleanup', 'nova-control.yaml', '--yes'])

  expect(bootstrapped.exitCode, bootstrapped.stderr).toBe(0)
  expect(run.exitCode, run.stderr).toBe(0)
  expect([nameless.exitCode, cleaning.exitCode]).toEqual([2, 2])
  expect(cleaning.stderr).toContain('kk remove nova --purge')
  expect((await records(corner.name)).toSorted()).toEqual(['db 1 deployed', 'nova-compute 1 deployed'])
})

it('kk bootstrap, run and kill accept names of kolla, with all refusals of kk', async () => {
  const corner = await openCorner(CLOUD)

  const early = await corner.kk(['kolla', 'run', 'nova-control', 'env.yaml'])
  const bootstrapped = await corner.kk(['kolla', 'bootstrap', 'nova-control', 'env.yaml'])
  const first = await records(corner.name)
  const run = await corner.kk(['kolla', 'run', 'nova_api', '-e', 'env.yaml'])
  const both = await records(corner.name)
  const used = await corner.kk(['kolla', 'kill', 'mariadb', 'env.yaml', '--yes', '--confirm', 'mariadb'])
  const killed = await corner.kk(['kolla', 'kill', 'nova-api-deployment', 'env.yaml', '--yes'])
  const unconfirmed = await corner.kk(['kolla', 'kill', 'mariadb', 'env.yaml', '--yes'])

  expect(early.exitCode).toBe(2)
  expect(early.stderr).toContain('mariadb is not installed (required by nova)')
  expect(bootstrapped.exitCode, bootstrapped.stderr).toBe(0)
  expect(first).toEqual(['mariadb 1 deployed'])
  expect(run.exitCode, run.stderr).toBe(0)
  expect(both.toSorted()).toEqual(['mariadb 1 deployed', 'nova 1 deployed'])
  expect(used.exitCode).toBe(3)
  expect(used.stderr).toContain('KK_HAS_DEPENDENTS')
  expect(killed.exitCode, killed.stderr).toBe(0)
  expect(unconfirmed.exitCode).toBe(3)
  expect(await records(corner.name)).toEqual(['mariadb 1 deployed'])
})
