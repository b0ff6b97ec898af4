import {beforeAll, describe, expect, it} from 'vitest'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import {restrictedAccount} from './support/account.ts'
import {kubectl} from './support/cluster.ts'
import {type Corner, openCorner, TWO} from './support/corner.ts'
import {records} from './support/snapshot.ts'

describe('a user who may list Secrets only in the namespaces of the environment', () => {
  let corner: Corner
  let kubeconfig: string
  beforeAll(async () => {
    corner = await openCorner(TWO)
    await kubectl(['create', 'namespace', corner.name])
    await kubectl(['create', 'namespace', 'kk-system']).catch(() => undefined)
    kubeconfig = await restrictedAccount({
      adminOf: [corner.name, 'kk-system'],
      sees: ['kube-system', corner.name],
    })
  })
  const as = (...words: readonly string[]) => corner.kk([...words, '--kubeconfig', kubeconfig])

  it('can deploy, with a note in the plan on records that cannot be listed', async () => {
    const {exitCode, stderr} = await as('deploy', 'env.yaml')

    expect(exitCode, stderr).toBe(0)
    expect(stderr).toContain(`note: you may not list secrets in all namespaces: only ${corner.name} is seen`)
    expect(await records(corner.name)).toEqual(['api 1 deployed', 'db 1 deployed'])
  })

  it('sees the status of the releases, and that no change is left', async () => {
    const planned = await as('plan', 'env.yaml', '--output', 'json')
    const status = await as('status', 'env.yaml')

    const {changes, notes} = JSON.parse(planned.stdout) as PlanDocument
    expect({changes, notes}).toEqual({changes: false, notes: [expect.stringContaining('in all namespaces')]})
    expect(status.exitCode, status.stderr).toBe(0)
    expect(status.stdout).toMatch(/^api +1 +deployed +healthy +current/m)
    expect(status.stderr).toContain('you may not list secrets in all namespaces')
  })

  it('cannot remove a release, because its users cannot be known', async () => {
    const {exitCode, stderr} = await as('remove', 'env.yaml', 'api', '--yes')

    expect(exitCode).toBe(3)
    expect(stderr).toContain('KK_HAS_DEPENDENTS')
    expect(await records(corner.name)).toEqual(['api 1 deployed', 'db 1 deployed'])
  })
})
