import type {AddressInfo} from 'node:net'
import {createSecureContext} from 'node:tls'
import {expectSafe, type ListenOptions, parseListen} from '../../api/listen-options.ts'
import {openServer} from '../../api/open-server.ts'
import {parseTokens, singleToken, type Tokens} from '../../api/tokens.ts'
import {KkError} from '../../base/errors.ts'
import {expectReadableKeys} from '../../overrides/user/keys.ts'
import {loadBundle} from '../../state/assets.ts'
import {readNamedFile} from '../../state/files/named-file.ts'
import {readByOthersWarning} from '../../state/files/read-by-others.ts'
import {localOverrides} from '../../verbs/overrides/local-overrides.ts'
import {openStoreToChange} from '../open/store.ts'
import {VERSION} from '../version.ts'
import {environmentViews} from './environment-views.ts'
import type {ServeFlags} from './flags.ts'
import {namedEnvironment, openBase} from './open-overrides.ts'

/**
 * Serves overrides until a signal, and finishes pending requests. `say` receives the address when the server
 * listens. Rejects with `KK_UNCONFIRMED` for an unsafe address, with `KK_FILE`, with `KK_STORE_KEY` if the
 * store cannot be decrypted, and if the facts name an unknown chart or namespace.
 */
export async function serve(flags: ServeFlags, say: (line: string) => void): Promise<void> {
  const listen = parseListen(flags.listen)
  const tokens = await servedTokens(flags['token-file'], process.env, say)
  const tls = await readTls(flags, say)
  expectSafe(listen, {tokens, tls: tls !== undefined})
  expectReadableKeys(process.env)
  const environment = await namedEnvironment(flags)
  const base = await openBase(flags, environment, say)
  await base.active()
  const store = await openStoreToChange(flags, environment)
  await using views = environment && environmentViews(flags, environment)
  try {
    await store.expectKeys()
    const allowSecrets = flags['allow-secret-overrides']
    const app = await openServer(
      {
        serviceFor: localOverrides({base, store, allowSecrets}),
        releasesOf: base.releases,
        views,
        ready: () => store.expectKeys(),
        tokens,
        version: VERSION,
        ...(tls && {tls}),
        limits: {requestsPerMinute: flags['rate-limit']},
        log: {level: flags['log-level'], stream: process.stderr},
      },
      await loadBundle('server', () => import('../../api/libraries.ts')),
      await loadBundle('metrics', () => import('prom-client')),
    )
    const stopped = untilSignal()
    await app.listen(listen).catch((cause: NodeJS.ErrnoException) => {
      throw unusable(listen, cause)
    })
    const {port} = app.server.address() as AddressInfo
    const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host
    if (!tokens) say(OPEN_WARNING)
    say(`serving overrides at ${tls ? 'https' : 'http'}://${host}:${port}`)
    await stopped
    await app.close()
  } finally {
    await store.close()
  }
}

const OPEN_WARNING =
  'warning: without --token-file or KK_TOKEN, every user of this machine can see the pages and read overrides, with secrets masked, and change overrides by the API'

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}

async function readTls({'tls-cert': certFile, 'tls-key': keyFile}: ServeFlags, say: (line: string) => void) {
  if (certFile === undefined || keyFile === undefined) return undefined
  const warning = readByOthersWarning(keyFile, 'the key of the certificate')
  if (warning !== undefined) say(warning)
  const cert = await readText(certFile, '--tls-cert')
  const key = await readText(keyFile, '--tls-key')
  try {
    createSecureContext({cert, key})
  } catch (cause) {
    // The message of OpenSSL is not helpful and may quote the key.
    throw new KkError(
      'KK_FILE',
      `expected a certificate in ${certFile} and its key in ${keyFile}, both as PEM`,
      {
        cause,
        hint: 'check that each flag names the right file, and that the key belongs to the certificate',
      },
    )
  }
  return {cert, key}
}

async function readText(file: string, flag: string): Promise<string> {
  return readNamedFile(file, {what: `${flag} ${file}`})
}

function unusable({host, port}: ListenOptions, cause: NodeJS.ErrnoException): KkError {
  return new KkError('KK_SERVER', `the service cannot listen on ${host}:${port} (${cause.code})`, {
    cause,
    hint:
      cause.code === 'EADDRINUSE'
        ? 'another process listens there: choose another port with --listen'
        : 'choose another address with --listen',
  })
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the tokens that `kk serve` accepts: those of `--token-file` or `KK_TOKEN_FILE`, or the single write
 * token `KK_TOKEN`. Undefined without any. `say` receives a warning if other users can read the file.
 */
export async function servedTokens(
  flag: string | undefined,
  {KK_TOKEN: token, KK_TOKEN_FILE: tokenFile}: Environment,
  say: (line: string) => void,
): Promise<Tokens | undefined> {
  if (flag === undefined && token && tokenFile) {
    throw new KkError('KK_USAGE', 'KK_TOKEN and KK_TOKEN_FILE are both set: expected one of them')
  }
  const file = flag ?? (tokenFile || undefined)
  if (file === undefined) return token ? singleToken(token, 'KK_TOKEN') : undefined
  const warning = readByOthersWarning(file, 'the tokens of the service')
  if (warning !== undefined) say(warning)
  return parseTokens(await readNamedFile(file, {what: `--token-file ${file}`}), file)
}
