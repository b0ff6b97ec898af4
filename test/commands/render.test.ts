import {mkdir, readFile, stat, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, it, vi} from 'vitest'
import {runCommand} from '../support/run-command.ts'
import {testDirectory} from '../support/test-directory.ts'
import {toolPath} from '../support/tools.ts'

const PASSWORD = 'S3cret-of-the-web'

let directory: string
let file: string
beforeEach(async () => {
  directory = testDirectory()
  file = join(directory, 'cloud.yaml')
  vi.stubEnv('KK_HELM', await toolPath('helm4'))
  vi.stubEnv('XDG_STATE_HOME', testDirectory())
  await writeFile(
    file,
    JSON.stringify({
      kk: {charts: ['charts'], namespace: 'site'},
      web: {password: PASSWORD, url: `http://web:${PASSWORD}@db/`, note: 'of the file'},
      other: {},
    }),
  )
  for (const name of ['web', 'other']) {
    const templates = join(directory, 'charts', name, 'templates')
    await mkdir(templates, {recursive: true})
    await writeFile(join(templates, '../Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: 0.1.0\n`)
    await writeFile(
      join(templates, 'secret.yaml'),
      'apiVersion: v1\nkind: Secret\nmetadata: {name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }}}\nstringData: {password: {{ .Values.password | quote }}}\n',
    )
    await writeFile(
      join(templates, 'hook.yaml'),
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}-hook, annotations: {helm.sh/hook: pre-install}}\ndata: {url: {{ .Values.url | quote }}, note: {{ .Values.note | quote }}}\n',
    )
  }
})
afterEach(() => vi.unstubAllEnvs())

it('kk render prints what helm would apply, with hooks, the values of the file and masked secrets', async () => {
  const {stdout} = await runCommand('render', [file, 'web'])

  expect(stdout).toMatch(/^---\n# Source: web\/templates\/hook\.yaml$/m)
  expect(stdout).toMatch(/^---\n# Source: web\/templates\/secret\.yaml$/m)
  expect(stdout).toContain('namespace: site')
  expect(stdout).toContain('note: of the file')
  expect(stdout).not.toContain(PASSWORD)
  expect(stdout).not.toContain('name: other')
})

it('kk render --show-secrets prints the secrets, as a list with --output json', async () => {
  const {stdout} = await runCommand('render', ['web', '-e', file, '--show-secrets', '-o', 'json'])

  expect(JSON.parse(stdout)).toMatchObject({
    kind: 'List',
    items: expect.arrayContaining([
      expect.objectContaining({kind: 'Secret', stringData: {password: PASSWORD}}),
      expect.objectContaining({
        kind: 'ConfigMap',
        data: {note: 'of the file', url: `http://web:${PASSWORD}@db/`},
      }),
    ]),
  })
})

it('kk render --output-dir writes a file for each release, readable only by its owner if secrets are shown', async () => {
  const output = join(directory, 'rendered')

  const {stdout} = await runCommand('render', [file, '--output-dir', output])
  const masked = await readFile(join(output, 'web.yaml'), 'utf8')
  await runCommand('render', [file, 'web', '--output-dir', output, '--show-secrets'])

  expect(stdout).toBe(output)
  expect(masked).not.toContain(PASSWORD)
  expect(await readFile(join(output, 'web.yaml'), 'utf8')).toContain(PASSWORD)
  expect(await readFile(join(output, 'other.yaml'), 'utf8')).toContain('name: other')
  expect((await stat(join(output, 'web.yaml'))).mode & 0o777).toBe(0o600)
})

it('kk render rejects an unknown release with a suggestion', async () => {
  await expect(runCommand('render', [file, 'wep'])).rejects.toMatchObject({
    code: 'KK_UNKNOWN_RELEASE',
    hint: 'did you mean web?',
  })
})
