import {BlockList, isIP} from 'node:net'
import {KkError} from '../base/errors.ts'
import type {Tokens} from './tokens.ts'

export interface ListenOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

/** Parses `127.0.0.1:8080`, `[::1]:8080`, `:8080` or `localhost:0`. Throws `KK_USAGE`. */
export function parseListen(text: string): ListenOptions {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? []
  if (port === undefined || Number(port) > 65_535) {
    throw new KkError('KK_USAGE', `--listen ${text}: expected HOST:PORT`, {
      hint: 'for example --listen 127.0.0.1:8080',
    })
  }
  return {host: bracketed ?? (plain || '127.0.0.1'), port: Number(port)}
}

/** Throws `KK_UNCONFIRMED` if other hosts could reach the service without a token, or without TLS. */
export function expectSafe(
  {host}: ListenOptions,
  {tokens, tls}: {readonly tokens: Tokens | undefined; readonly tls: boolean},
) {
  if (isLoopback(host)) return
  const missing = [
    ...(tls ? [] : ['--tls-cert and --tls-key']),
    ...(tokens ? [] : ['--token-file or KK_TOKEN']),
  ]
  if (missing.length === 0) return
  throw new KkError(
    'KK_UNCONFIRMED',
    `other hosts can reach ${host}: the service needs ${missing.join(' and ')} there`,
    {hint: 'specify them, or listen on 127.0.0.1'},
  )
}

function isLoopback(host: string): boolean {
  if (host === 'localhost') return true
  const family = isIP(host)
  return family !== 0 && LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4')
}
