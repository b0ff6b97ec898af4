import {cp, readdir, readFile, stat, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {load} from 'js-yaml'
import {beforeEach, describe, expect, it} from 'vitest'
import {testDirectory} from '../support/test-directory.ts'
import {kk} from './support/kk.ts'

const KOLLA = join(import.meta.dirname, '../fixtures/kolla')

let cwd: string
beforeEach(async () => {
  cwd = testDirectory()
  await cp(KOLLA, join(cwd, 'kolla'), {recursive: true})
})

const config = (...args: string[]) => kk(['config', ...args], {cwd, env: {TMPDIR: cwd}})

describe('kk config import', () => {
  it('writes values and secrets to separate files that only the owner can read, and prints how to use them', async () => {
    const {exitCode, stdout, stderr} = await config(
      ...['import', 'kolla/generated/keystone', '--output-dir', 'imported'],
    )

    expect(exitCode, stderr).toBe(0)
    expect(stdout.split('\n')).toEqual([
      'keystone: the component api of keystone',
      '  Secret  domains/keystone.users.conf',
      '  ConfigMap  keystone-startup.sh',
      '  ConfigMap  keystone-uwsgi.ini',
      '  Secret  keystone.conf',
      '  note: the owner of /etc/keystone/fernet-keys is omitted: the chart mounts it read-only',
      'wrote imported/keystone.yaml',
      'wrote imported/keystone.secrets.yaml',
    ])
    expect(stderr).toContain(
      '--values keystone=imported/keystone.yaml --values keystone=imported/keystone.secrets.yaml',
    )
    const mode = (await stat(join(cwd, 'imported/keystone.secrets.yaml'))).mode & 0o777
    expect(mode.toString(8)).toBe('600')
    expect(await readFile(join(cwd, 'imported/keystone.yaml'), 'utf8')).not.toContain('dev-')
  })

  it('with --dry-run writes nothing, and with --output json prints one document without secrets', async () => {
    const {stdout, stderr} = await config('import', 'kolla/generated', '--dry-run', '--output', 'json')

    expect(JSON.parse(stdout)).toMatchObject({
      dryRun: true,
      containers: [{container: 'keystone'}, {container: 'mariadb'}, {container: 'memcached'}],
      leftOut: [{container: 'blazar-api'}, {container: 'keystone-fernet'}],
      values: [],
    })
    expect(stdout + stderr).not.toContain('dev-')
    expect(await readdir(cwd)).toEqual(['kolla'])
  })

  it.each([
    [['import', 'nowhere'], 2, 'KK_FILE'],
    [['import', 'kolla/generated/blazar-api'], 2, 'KK_KOLLA'],
    [['import', 'kolla/generated/keystone', '--passwords', 'nowhere.yml'], 2, 'KK_FILE'],
    [['import', 'kolla/generated/keystone', '--charts', 'kolla'], 2, 'KK_'],
    [['import', 'kolla/generated/keystone', '--output-dir', 'kolla'], 3, 'KK_DIRECTORY_IN_USE'],
    [['merge', 'kolla/generated'], 2, 'KK_KOLLA'],
  ])('with %j exits with %i and reports %s', async (args, exit, code) => {
    const {exitCode, stderr} = await config(...args)

    expect(exitCode).toBe(exit)
    expect(stderr).toContain(code)
  })
})

describe('kk config merge', () => {
  it('writes options so that helm reads the original strings', async () => {
    await writeFile(join(cwd, 'kolla/config/global.conf'), '[DEFAULT]\ndebug = yes\nmode = 0640\n')

    const {exitCode, stdout, stderr} = await config(
      ...['merge', 'kolla/config', '--host', 'controller01', '--output-dir', 'merged'],
    )

    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain(
      'keystone.conf of keystone: global.conf, database.conf, messaging.conf, keystone.conf',
    )
    expect(load(await readFile(join(cwd, 'merged/keystone.yaml'), 'utf8'))).toMatchObject({
      conf: {keystone: {DEFAULT: {debug: 'yes', mode: '0640'}, database: {max_overflow: '6'}}},
    })
  })
})
