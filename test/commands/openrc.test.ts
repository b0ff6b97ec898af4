import {mkdir, readFile, rm, stat, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, it, onTestFinished, vi} from 'vitest'
import {readYaml} from '../../src/yaml/yaml.ts'
import {runCommand} from '../support/run-command.ts'
import {testDirectory} from '../support/test-directory.ts'
import {toolPath} from '../support/tools.ts'

const GIVEN = "it's-S3cret"

let directory: string
let file: string
beforeEach(async () => {
  directory = testDirectory()
  file = join(directory, 'cloud.yaml')
  vi.stubEnv('KK_HELM', await toolPath('helm4'))
  vi.stubEnv('XDG_STATE_HOME', testDirectory())
})
afterEach(() => vi.unstubAllEnvs())

/**
 * Writes the environment of a keystone, with these values below `global` and an admin whose password is set.
 */
async function keystone(global: object = {}, auth: object = {admin: {password: GIVEN}}): Promise<void> {
  const endpoints = {
    identity: {auth, host_fqdn_override: {public: {host: 'identity.example.org'}}},
  }
  await writeFile(file, JSON.stringify({global: {region: 'RegionTwo', endpoints, ...global}, keystone: {}}))
}

it('kk openrc prints the login of the administrator at the public endpoint, quoted for a shell', async () => {
  await keystone()

  const {stdout} = await runCommand('openrc', [file])

  expect(stdout).toMatch(/^export OS_AUTH_URL='http:\/\/identity\.example\.org(:\d+)?\/v3'$/m)
  expect(stdout).toContain(`export OS_PASSWORD='it'\\''s-S3cret'\n`)
  expect(stdout).toContain(`export OS_USERNAME='admin'\n`)
  expect(stdout).toContain(`export OS_REGION_NAME='RegionTwo'\n`)
  expect(stdout).toContain(`export OS_INTERFACE='public'\n`)
  expect(stdout).not.toContain('OS_CACERT')
})

it('kk openrc --file writes a clouds.yaml that only its owner can read, with the authority of kk next to it', async () => {
  await keystone({tls: {internal: true, plain: ['oslo_cache']}})
  const clouds = join(directory, 'clouds.yaml')

  // The key of the authority is kept nowhere yet, but the login does not depend on it.
  const {stdout} = await runCommand('openrc', [
    file,
    ...['--format', 'clouds', '--cloud', 'mine', '--interface', 'internal', '--file', clouds],
  ])

  expect(stdout).toBe('')
  expect((await stat(clouds)).mode & 0o777).toBe(0o600)
  expect(await readFile(`${clouds}.ca.crt`, 'utf8')).toMatch(/^-----BEGIN CERTIFICATE-----/)
  expect(readYaml(await readFile(clouds, 'utf8'))).toMatchObject({
    clouds: {
      mine: {
        auth: {
          auth_url: 'https://keystone-api.openstack.svc.cluster.local:5000/v3',
          ...{username: 'admin', password: GIVEN, project_name: 'admin', user_domain_name: 'Default'},
        },
        ...{region_name: 'RegionTwo', interface: 'internal', cacert: `${clouds}.ca.crt`},
      },
    },
  })
})

it('kk openrc --file writes no authority next to a device', async () => {
  await keystone({tls: {internal: true, plain: ['oslo_cache']}})
  const place = '/dev/null.ca.crt'
  onTestFinished(() => rm(place, {force: true}))

  const {notes} = await runCommand('openrc', [file, '--interface', 'internal', '--file', '/dev/null'])

  expect(notes.join('\n')).toContain('clients must know the authority of the endpoint')
  await expect(stat(place)).rejects.toThrow('ENOENT')
})

it('kk openrc refuses a password that kk has not generated yet', async () => {
  await keystone({}, {})

  await expect(runCommand('openrc', [file])).rejects.toMatchObject({
    code: 'KK_USAGE',
    message: 'neither the cluster nor the store keeps the password of admin',
  })
})

it('kk openrc --user knows the accounts that jobs create, and suggests one for another name', async () => {
  const templates = join(directory, 'charts/web/templates')
  await mkdir(templates, {recursive: true})
  await writeFile(join(templates, '../Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 0.1.0\n')
  await writeFile(
    join(templates, 'job.yaml'),
    `apiVersion: v1
kind: Secret
metadata: {name: web-keystone-user}
stringData: {OS_USERNAME: web, OS_PASSWORD: of-the-web, OS_PROJECT_NAME: service}
---
apiVersion: batch/v1
kind: Job
metadata: {name: web-ks-user}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: ks-user
          image: web
          env:
            - {name: SERVICE_OS_USERNAME, valueFrom: {secretKeyRef: {name: web-keystone-user, key: OS_USERNAME}}}
            - {name: SERVICE_OS_PASSWORD, valueFrom: {secretKeyRef: {name: web-keystone-user, key: OS_PASSWORD}}}
            - {name: SERVICE_OS_PROJECT_NAME, valueFrom: {secretKeyRef: {name: web-keystone-user, key: OS_PROJECT_NAME}}}
`,
  )
  const auth = {admin: {password: GIVEN}}
  await writeFile(
    file,
    JSON.stringify({
      kk: {charts: ['charts', 'built-in']},
      global: {endpoints: {identity: {auth}}},
      ...{keystone: {}, web: {}},
    }),
  )

  const {stdout} = await runCommand('openrc', [file, '--user', 'web'])
  const other = runCommand('openrc', [file, '--user', 'wep'])

  expect(stdout).toContain(`export OS_USERNAME='web'\nexport OS_PASSWORD='of-the-web'\n`)
  expect(stdout).toContain(`export OS_PROJECT_NAME='service'\n`)
  await expect(other).rejects.toMatchObject({code: 'KK_USAGE', hint: 'did you mean web?'})
})
