import {readFileSync} from 'node:fs'
import {expect, it, vi} from 'vitest'
import {credentialReader} from '../../../src/cluster/api/credential-reader.ts'

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

it('a credential plugin that does not answer is ended, and named', async () => {
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

it('a credential plugin gets no key of kk', async () => {
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
