import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, it, vi} from 'vitest'
import {runCommand} from '../support/run-command.ts'
import {testDirectory} from '../support/test-directory.ts'

beforeEach(() => {
  vi.stubEnv('KK_STORE_KEY', Buffer.alloc(32, 7).toString('base64'))
  vi.stubEnv('XDG_STATE_HOME', testDirectory())
})
afterEach(() => vi.unstubAllEnvs())

/**
 * Stores the administrator's password for these namespaces in a new override store, and returns its flags.
 */
async function stored(...namespaces: readonly string[]): Promise<readonly string[]> {
  const directory = testDirectory()
  const passwords = join(directory, 'passwords.yml')
  const place = ['--in', 'store', '--store', join(directory, 'overrides.db')]
  for (const namespace of namespaces) {
    await writeFile(passwords, `keystone_admin_password: S3cret-of-${namespace}\n`)
    await runCommand('secrets:import', [passwords, '--namespace', namespace, ...place])
  }
  return place
}

it('kk secrets show prints only the value, on standard output', async () => {
  const place = await stored('openstack')

  const {stdout, notes, document} = await runCommand('secrets:show', ['identity.admin.password', ...place])

  expect(stdout).toBe('S3cret-of-openstack')
  expect(notes.join('')).not.toContain('S3cret')
  expect(document).toBeUndefined()
})

it('kk secrets show requires the namespace if several have the secret', async () => {
  const place = await stored('one', 'two')

  const {stdout} = await runCommand('secrets:show', ['identity.admin.password', '-n', 'two', ...place])
  const ambiguous = runCommand('secrets:show', ['identity.admin.password', ...place])

  expect(stdout).toBe('S3cret-of-two')
  await expect(ambiguous).rejects.toMatchObject({
    message: 'several namespaces have the secret identity.admin.password: one, two',
  })
})

it('kk secrets show refuses several names, and suggests one for another name', async () => {
  const place = await stored('openstack')

  const several = runCommand('secrets:show', ['identity.admin.password', 'oslo_db.admin.password', ...place])
  const other = runCommand('secrets:show', ['identity.admin.pasword', ...place])

  await expect(several).rejects.toThrow('Unexpected argument')
  await expect(other).rejects.toMatchObject({hint: 'did you mean identity.admin.password?'})
})
