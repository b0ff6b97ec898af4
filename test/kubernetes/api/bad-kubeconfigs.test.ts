import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import type {KkError} from '../../../src/base/errors.ts'
import {clusterAccess} from '../../../src/kubernetes/api/access.ts'
import {openCluster} from '../../../src/kubernetes/open.ts'
import {testDirectory} from '../../support/test-directory.ts'

const SECRET = 'S3cret'
/** Nothing listens there: whoever comes so far has read the kubeconfig. */
const NOBODY = 'https://127.0.0.1:1'

let directory: string
beforeAll(async () => {
  directory = testDirectory()
})

interface Parts {
  readonly cluster?: unknown
  readonly user?: unknown
  /** Keys of the file itself. */
  readonly whole?: object
}

function kubeconfig({cluster = {server: NOBODY}, user = {token: SECRET}, whole = {}}: Parts): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'mine',
    contexts: [{name: 'mine', context: {cluster: 'mine', user: 'me'}}],
    clusters: [{name: 'mine', cluster}],
    users: [{name: 'me', user}],
    ...whole,
  })
}

/** Asks the cluster of a kubeconfig who it is, which nobody will answer. */
async function errorOf(text: string | Uint8Array): Promise<KkError> {
  const file = join(directory, 'config')
  await writeFile(file, text)
  const ask = async () => {
    const cluster = await openCluster({kubeconfig: file, env: {}})
    await cluster.apiServer.identity().finally(() => cluster.close())
  }
  return ask().then(
    () => expect.unreachable('somebody has answered'),
    (error: unknown) => error as KkError,
  )
}

const server = (text: unknown): Parts => ({cluster: {server: text}})
const cluster = (keys: object): Parts => ({cluster: {server: NOBODY, ...keys}})
const EXEC = {apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never'}
const plugin = (printed: string): Parts => ({
  user: {exec: {...EXEC, command: 'printf', args: ['%s', printed]}},
})
const oidc = (config: object): Parts => ({user: {'auth-provider': {name: 'oidc', config}}})
const credential = (status: unknown): string =>
  JSON.stringify({apiVersion: EXEC.apiVersion, kind: 'ExecCredential', status})

describe('an invalid kubeconfig is reported without its secrets', () => {
  it.each<[string, Parts, string]>([
    ['a server without scheme', server('10.0.0.1:6443'), 'expected https://HOST:PORT'],
    ['a server that is only a name', server('localhost'), 'expected https://HOST:PORT'],
    ['a server with another scheme', server('ftp://10.0.0.1'), 'expected https://HOST:PORT'],
    ['a server that is a file', server('file:///etc/passwd'), 'expected https://HOST:PORT'],
    ['a server that is a socket', server('unix:///run/x.sock'), 'expected https://HOST:PORT'],
    ['a server without slashes', server('https:10.0.0.1'), 'expected https://HOST:PORT'],
    ['a server without host', server('https://'), 'expected https://HOST:PORT'],
    ['a port that is too large', server('https://10.0.0.1:99999'), 'expected https://HOST:PORT'],
    ['a port that is a word', server('https://10.0.0.1:port'), 'expected https://HOST:PORT'],
    ['a negative port', server('https://10.0.0.1:-1'), 'expected https://HOST:PORT'],
    ['a host with a space', server('https://10.0.0.1 x:6443'), 'expected https://HOST:PORT'],
    ['a host with a line break in a template', server('https://{{ host }}\n'), 'expected https://HOST:PORT'],
    ['a broken IPv6 address', server('https://[::1:6443'), 'expected https://HOST:PORT'],
    ['a server with a password', server(`https://me:${SECRET}@10.0.0.1`), 'it contains a user'],
    ['a server with a query', server(`https://10.0.0.1?token=${SECRET}`), 'got a query or a fragment'],
    ['a server with a fragment', server('https://10.0.0.1/#/'), 'got a query or a fragment'],
    ['a server that is a number', server(6443), 'clusters[0].cluster.server is a number, expected a string'],
    ['a server that is a list', server([NOBODY]), 'clusters[0].cluster.server is a list, expected a string'],
    [
      'a server that is a map',
      server({url: NOBODY}),
      'clusters[0].cluster.server is a map, expected a string',
    ],
    [
      'no server',
      {cluster: {}},
      'context "mine" names the cluster "mine", which the kubeconfig does not have',
    ],
    ['an empty server', server(''), 'which the kubeconfig does not have'],
    ['a cluster that is null', {cluster: null}, 'which the kubeconfig does not have'],
    ['a cluster that is a string', {cluster: NOBODY}, 'clusters[0].cluster is a string, expected a map'],
    ['clusters that are a map', {whole: {clusters: {mine: {}}}}, 'clusters is a map, expected a list'],
    [
      'a list of strings as clusters',
      {whole: {clusters: ['mine']}},
      'clusters[0] is a string, expected a map',
    ],
    ['clusters without the one', {whole: {clusters: [null]}}, 'which the kubeconfig does not have'],
    ['contexts that are a string', {whole: {contexts: 'mine'}}, 'contexts is a string, expected a list'],
    ['contexts that are null', {whole: {contexts: null}}, 'has no context "mine"; it has none'],
    ['a context that is null', {whole: {contexts: [null]}}, 'has no context "mine"; it has none'],
    ['a context without cluster', {whole: {contexts: [{name: 'mine'}]}}, 'names the cluster "undefined"'],
    [
      'a name that is a number',
      {whole: {contexts: [{name: 5}]}},
      'contexts[0].name is a number, expected a string',
    ],
    ['a current context that is a list', {whole: {'current-context': ['mine']}}, 'current-context is a list'],
    ['an empty current context', {whole: {'current-context': ''}}, 'the kubeconfig has no current one'],
    ['users that are a number', {whole: {users: 1}}, 'users is a number, expected a list'],
    ['a user that is a string', {user: SECRET}, 'users[0].user is a string, expected a map'],
    ['a token with a line break at its end', {user: {token: `${SECRET}\n`}}, 'a line break'],
    ['a token with a line break in it', {user: {token: `a\r\nX: ${SECRET}`}}, 'a line break'],
    ['a token with a NUL', {user: {token: `${SECRET}\0`}}, 'a line break or another character'],
    ['a token beyond Latin', {user: {token: `${SECRET}…`}}, 'a line break or another character'],
    ['a token that is a number', {user: {token: 5}}, 'users[0].user.token is a number, expected a string'],
    ['a token that is a map', {user: {token: {value: SECRET}}}, 'users[0].user.token is a map'],
    ['a token file that is not there', {user: {tokenFile: 'none'}}, 'none: expected a file, got ENOENT'],
    [
      'a token file that is a directory',
      {user: {tokenFile: '/'}},
      'tokenFile /: expected a file, got a directory',
    ],
    [
      'a password that is a number',
      {user: {username: 'me', password: 5}},
      'users[0].user.password is a number',
    ],
    ['a user to act as with a line break', {user: {as: 'admin\nx'}}, 'a line break'],
    [
      'a provider of tokens without its settings',
      oidc({}),
      'its auth-provider oidc lacks client-id, id-token, idp-issuer-url below config',
    ],
    [
      'a provider of tokens without an issuer',
      oidc({'client-id': 'kk', 'id-token': SECRET}),
      'its auth-provider oidc lacks idp-issuer-url below config',
    ],
    [
      'a provider whose token has run out',
      oidc({'client-id': 'kk', 'id-token': SECRET, 'idp-issuer-url': NOBODY}),
      'id-token has run out, and there is no refresh-token',
    ],
    [
      'a provider whose token is none',
      oidc({'client-id': 'kk', 'id-token': `a.${btoa(SECRET)}.b`, 'idp-issuer-url': NOBODY}),
      'expected a JSON Web Token as id-token',
    ],
    [
      'a provider whose issuer is no address',
      oidc({'client-id': 'kk', 'id-token': 'x', 'refresh-token': SECRET, 'idp-issuer-url': SECRET}),
      'expected a JSON Web Token as id-token and an address as idp-issuer-url',
    ],
    [
      'a certificate that is none',
      {user: {'client-certificate-data': SECRET}},
      'no credentials for context "mine"',
    ],
    [
      'a certificate that is a number',
      {user: {'client-certificate-data': 1}},
      'client-certificate-data is a number',
    ],
    ['a key that is none', {user: {'client-key-data': 'YQ=='}}, 'no credentials for context "mine"'],
    [
      'a file of certificates that is not there',
      cluster({'certificate-authority': 'none'}),
      'none: expected a file, got ENOENT',
    ],
    [
      'an authority that is a list',
      cluster({'certificate-authority-data': []}),
      'certificate-authority-data is a list',
    ],
    [
      'a switch that is a string',
      cluster({'insecure-skip-tls-verify': 'yes'}),
      'is a string, expected true or false',
    ],
    ['a server name that is a number', cluster({'tls-server-name': 1}), 'tls-server-name is a number'],
    ['a proxy that is a number', cluster({'proxy-url': 1}), 'proxy-url is a number'],
    ['a proxy that is no address', cluster({'proxy-url': 'no proxy'}), 'no credentials'],
    ['a plugin that is a string', {user: {exec: 'aws'}}, 'users[0].user.exec is a string, expected a map'],
    ['a plugin without command', {user: {exec: {}}}, 'no credentials'],
    [
      'a plugin that is not installed',
      {user: {exec: {...EXEC, command: 'no-such-plugin'}}},
      'is not installed',
    ],
    ['a plugin with a command that is a list', {user: {exec: {command: ['aws']}}}, 'exec.command is a list'],
    [
      'a plugin with arguments that are a string',
      {user: {exec: {command: 'x', args: 'get'}}},
      'exec.args is a string',
    ],
    [
      'a plugin with variables that are a map',
      {user: {exec: {command: 'x', env: {A: '1'}}}},
      'exec.env is a map',
    ],
    ['a plugin that fails', {user: {exec: {...EXEC, command: 'false'}}}, 'failed without a message'],
    [
      'a plugin without an apiVersion',
      {user: {exec: {command: 'false'}}},
      'exec with an apiVersion other than',
    ],
    [
      'a plugin of v1 that does not say whether it asks the user',
      {user: {exec: {...EXEC, interactiveMode: undefined, command: 'false'}}},
      'exec without interactiveMode: expected Never, IfAvailable, Always',
    ],
    [
      'a plugin that must ask the user, without a terminal',
      {user: {exec: {...EXEC, interactiveMode: 'Always', command: 'false'}}},
      'asks the user, and standard input is no terminal',
    ],
    [
      'a plugin with neither token nor certificate',
      plugin(credential({})),
      'neither a token nor a certificate',
    ],
    [
      'a plugin that answers in another version',
      plugin(JSON.stringify({kind: 'ExecCredential', apiVersion: 'v1', status: {token: SECRET}})),
      'did not answer with client.authentication.k8s.io/v1',
    ],
    [
      'groups to act as without a user',
      {user: {token: SECRET, 'as-groups': ['ops']}},
      'the user to act as is missing',
    ],
    [
      'a UID to act as without a user',
      {user: {token: SECRET, 'as-uid': '1'}},
      'the user to act as is missing',
    ],
    [
      'more to act as without a user',
      {user: {token: SECRET, 'as-user-extra': {scopes: ['a']}}},
      'the user to act as is missing',
    ],
    [
      'groups to act as that are a string',
      {user: {'as-groups': 'ops'}},
      'as-groups is a string, expected a list',
    ],
    [
      'more to act as that is a string',
      {user: {'as-user-extra': {scopes: 'a'}}},
      'as-user-extra.scopes is a string, expected a list',
    ],
    ['a plugin that prints nothing', plugin(''), 'did not print the JSON of an ExecCredential'],
    ['a plugin that prints its token alone', plugin(SECRET), 'did not print the JSON of an ExecCredential'],
    ['a plugin without status', plugin('{}'), 'did not print the JSON of an ExecCredential'],
    ['a plugin whose token has a line break', plugin(credential({token: `${SECRET}\nx`})), 'a line break'],
    [
      'a plugin whose certificate is none',
      plugin(credential({clientCertificateData: SECRET})),
      'no credentials',
    ],
    [
      'a provider of tokens that is gone',
      {user: {'auth-provider': {name: 'gcp'}}},
      'removed in Kubernetes 1.26: use exec',
    ],
    ['a provider of tokens without a name', {user: {'auth-provider': {}}}, 'use exec'],
    [
      'a certificate that is none',
      {user: {'client-certificate-data': SECRET}},
      'client-certificate-data: expected a certificate in PEM, in base64',
    ],
    [
      'a key that is none',
      {user: {'client-key-data': SECRET}},
      'client-key-data: expected a key without a passphrase in PEM, in base64',
    ],
    [
      'a certificate that is none, behind a proxy',
      {...cluster({'proxy-url': 'http://127.0.0.1:1'}), user: {'client-certificate-data': SECRET}},
      'client-certificate-data: expected a certificate',
    ],
    ['a proxy that is a word', cluster({'proxy-url': SECRET}), 'proxy-url of its cluster is no address'],
    ['a proxy without scheme', cluster({'proxy-url': '127.0.0.1:1'}), 'expected http://HOST:PORT'],
    ['a token file that is a directory', {user: {tokenFile: '.'}}, 'expected a file, got a directory'],
    ['a token file that is not there', {user: {tokenFile: 'gone'}}, 'gone: expected a file, got ENOENT'],
    [
      'a certificate that is a directory',
      {user: {'client-certificate': '.'}},
      'expected a file, got a directory',
    ],
    [
      'a directory behind a proxy',
      {...cluster({'proxy-url': 'http://127.0.0.1:1'}), user: {'client-certificate': '.'}},
      'expected a file, got a directory',
    ],
    [
      'an unknown provider of tokens',
      {user: {'auth-provider': 'gcp'}},
      'auth-provider is a string, expected a map',
    ],
  ])('%s', async (_, parts, says) => {
    const {code, exit, message} = await errorOf(kubeconfig(parts))

    expect({code, exit, message}).toMatchObject({
      code: 'KK_KUBECONFIG',
      exit: 2,
      message: expect.stringContaining(says),
    })
    expect(message).not.toMatch(/S3cret|\n/)
  })

  it.each<[string, string | Uint8Array]>([
    ['nothing at all', ''],
    ['a number', '5'],
    ['a list', '[]'],
    ['a string', SECRET],
    ['two keys on a line', `users: ${SECRET}: x`],
    ['an alias that nothing bears', `users: [{name: me, user: {token: *${SECRET}}}]`],
    ['an unknown tag', `users: !<tag:x> ${SECRET}`],
    ['an open quote', `users: "${SECRET}`],
    ['a tab for indentation', `users:\n\t- ${SECRET}`],
    ['bytes that are no text', Uint8Array.from({length: 64}, (_, index) => index * 4)],
    ['itself over and over', '&a [*a]'],
  ])('a file that is %s', async (_, text) => {
    const {code, exit, message} = await errorOf(text)

    expect({code, exit}).toEqual({code: 'KK_KUBECONFIG', exit: 2})
    expect(message).toContain('config')
    expect(message).not.toMatch(/S3cret|\n/)
  })

  it('a file that is a directory', async () => {
    const file = join(directory, 'folder')
    await mkdir(file)

    await expect(openCluster({kubeconfig: file, env: {}})).rejects.toMatchObject({
      code: 'KK_KUBECONFIG',
      message: `${file} is not a kubeconfig: EISDIR`,
    })
  })

  it('an invalid API server address in the environment of a pod', async () => {
    const env = {KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: 'https'}
    await writeFile(join(directory, 'token'), SECRET)

    expect(() => clusterAccess({env}, directory)).toThrow(
      expect.objectContaining({
        code: 'KK_KUBECONFIG',
        message: expect.stringContaining('KUBERNETES_SERVICE_PORT'),
      }),
    )
  })
})

describe('a kubeconfig that kubectl accepts is accepted', () => {
  it.each<[string, Parts]>([
    ['as it is usual', {}],
    ['with an upper-case scheme', server('HTTPS://127.0.0.1:1/')],
    ['with a path', server(`${NOBODY}/k8s/clusters/c-1`)],
    ['without a user', {user: null}],
    ['without users', {whole: {users: null}}],
    ['with nulls for what is not given', {user: {token: SECRET, exec: null, as: null, 'client-key': null}}],
    ['with keys that kk does not know', {whole: {preferences: {colors: true}, extensions: [1]}}],
    [
      'with entries that nobody uses',
      {whole: {contexts: [null, {name: 'mine', context: {cluster: 'mine', user: 'me'}}]}},
    ],
    ['with a plugin that gives a token', plugin(credential({token: SECRET}))],
  ])('%s', async (_, parts) => {
    const {code, message} = await errorOf(kubeconfig(parts))

    expect({code, message}).toEqual({
      code: 'KK_UNREACHABLE',
      message: expect.stringContaining('connection refused'),
    })
  })
})
