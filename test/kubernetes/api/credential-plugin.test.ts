import {readFileSync} from 'node:fs'
import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it, vi} from 'vitest'
import {credentialReader} from '../../../src/kubernetes/api/credential-reader.ts'
import {testDirectory} from '../../support/test-directory.ts'

function accessBy(command: string, args: readonly string[], more: object = {}) {
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command,
    args,
    interactiveMode: 'Never',
    ...more,
  }
  const server = 'https://127.0.0.1:1'
  return {context: 'cloud', server, kubeconfig: undefined, cluster: {server}, user: {exec}}
}

function children(): readonly string[] {
  const pids = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean)
  return pids.map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
}

it('a credential plugin that hangs is killed, and named in the error', async () => {
  const answer = JSON.stringify({
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: {token: 't'},
  })
  // The client is loaded by the first: its limit is for the plugin alone.
  const {headers} = await credentialReader(accessBy('echo', [answer]))()

  const silent = credentialReader(accessBy('sleep', ['86399']), 1_000)()

  expect(headers).toEqual({authorization: 'Bearer t'})
  await expect(silent).rejects.toMatchObject({
    code: 'KK_KUBECONFIG',
    message: 'no credentials for context "cloud": the credential plugin sleep did not answer within 1 s',
  })
  await vi.waitFor(() => expect(children()).not.toContain('sleep\0' + '86399\0'))
})

it('a credential plugin receives no environment variable of kk', async () => {
  vi.stubEnv('KK_STORE_KEY', 's3cret')
  vi.stubEnv('PGPASSWORD', 's3cret')
  vi.stubEnv('CLOUD_PROFILE', 'production')
  const status = '{"token":"\'"$CLOUD_PROFILE.$KK_STORE_KEY$PGPASSWORD"\'"}'
  const answer = `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":${status}}`

  const {headers} = await credentialReader(accessBy('sh', ['-c', `echo '${answer}'`]))()

  expect(headers).toEqual({authorization: 'Bearer production.'})
  vi.unstubAllEnvs()
})

it.each([
  ['sh', ['-c', 'echo "token $X_PASSWORD refused" >&2; exit 1'], 'token *** refused'],
  ['sh', ['-c', 'echo "$0 $2 refused" >&2; exit 1', 'get', '--token', 't0ken-4'], 'get *** refused'],
  ['/no/such/s3cret-1', [], 'the credential plugin /no/such/*** is not installed'],
])('an error of the credential plugin %s %j has none of its secrets', async (command, args, reason) => {
  const env = [{name: 'X_PASSWORD', value: 's3cret-1'}]

  const read = credentialReader(accessBy(command, args, {env}))()

  await expect(read).rejects.toMatchObject({
    message: `no credentials for context "cloud": ${reason}`,
  })
})

/** A plugin whose token is what it was told of its work, in base64. */
const ECHO = [
  '-c',
  'token=$(printf %s "$KUBERNETES_EXEC_INFO" | base64 -w 0); printf \'{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"%s"}}\' "$token"',
]

async function toldTo(access: ReturnType<typeof accessBy>): Promise<unknown> {
  const {headers} = await credentialReader(access)()
  const token = String(headers['authorization']).replace('Bearer ', '')
  return JSON.parse(Buffer.from(token, 'base64').toString())
}

it('a credential plugin receives its cluster if provideClusterInfo is set', async () => {
  const cluster = {
    server: 'https://127.0.0.1:1',
    'tls-server-name': 'api',
    'certificate-authority-data': 'Y2E=',
    'proxy-url': 'http://proxy:1',
    extensions: [{name: 'client.authentication.k8s.io/exec', extension: {region: 'a'}}, {name: 'other'}],
  }
  const access = {...accessBy('sh', ECHO, {provideClusterInfo: true}), cluster}

  const told = await toldTo(access)
  const untold = await toldTo({...access, ...accessBy('sh', ECHO)})

  const {extensions, ...plain} = cluster
  const version = {apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential'}
  expect(told).toEqual({
    ...version,
    spec: {cluster: {...plain, config: extensions[0]!.extension}, interactive: false},
  })
  expect(untold).toEqual({...version, spec: {interactive: false}})
})

it('a credential plugin that is not installed is reported with its installHint', async () => {
  const installHint = 'get it with \u001b[1mapt install login\u001b[0m'

  const read = credentialReader(accessBy('no-such-plugin', [], {installHint}))()

  await expect(read).rejects.toMatchObject({hint: 'get it with apt install login'})
})

it('a credential plugin runs again only when its credentials have expired', async () => {
  const directory = testDirectory()
  const script = (expires: string) =>
    `echo x >>${directory}/calls; echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t","expirationTimestamp":"${expires}"}}'`
  const lasting = credentialReader(accessBy('sh', ['-c', script('2100-01-01T00:00:00Z')]))
  const expired = credentialReader(accessBy('sh', ['-c', script('2000-01-01T00:00:00Z')]))

  await lasting()
  await lasting()
  await expired()
  await expired()

  expect(await readFile(join(directory, 'calls'), 'utf8')).toBe('x\nx\nx\n')
})

it('a user with a token does not run its credential plugin', async () => {
  const access = accessBy('no-such-plugin', [])

  const {headers} = await credentialReader({...access, user: {...access.user, token: 'own'}})()

  expect(headers).toEqual({authorization: 'Bearer own'})
})
