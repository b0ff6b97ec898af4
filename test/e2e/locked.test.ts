import {expect, it} from 'vitest'
import {makeEnvironment, workloads} from './support/environment.ts'
import {kk} from './support/kk.ts'
import {revisions} from './support/records.ts'

it('kk deploy --locked deploys the versions of kk.lock, and refuses any others', async () => {
  const environment = await makeEnvironment({content: workloads({db: {}})})
  const locked = await environment.kk('charts lock')
  expect(locked.exitCode, locked.stderr).toBe(0)

  const listed = await kk(['images', 'list', '-e', environment.file, 'db', '--output', 'json'], {
    cwd: environment.directory,
    env: {KK_HELM: environment.helm},
  })
  const same = await environment.kk('deploy', '--locked', '--yes')
  await environment.write(workloads({db: {values: {image: 'registry.example.org/other:1'}}}))
  const other = await environment.kk('deploy', '--locked', '--yes')
  const checked = await environment.kk('charts lock', '--check')

  expect(listed.exitCode, listed.stderr).toBe(0)
  expect(JSON.parse(listed.stdout)).toMatchObject({
    environment: environment.name,
    images: [{image: 'registry.example.org/workload:1', releases: [`${environment.name}/db`], digest: null}],
  })
  expect(same.exitCode, same.stderr).toBe(0)
  expect(other.exitCode).toBe(3)
  expect(other.stderr).toMatch(/KK_LOCKED: .* is not as .*kk\.lock has it:/)
  expect(other.stderr).toContain('  registry.example.org/other:1: is not locked')
  expect(checked.exitCode).toBe(3)
  expect(checked.stdout).toContain('registry.example.org/other:1: is not locked')
  expect(await revisions(environment.name)).toEqual({db: 1})
})
