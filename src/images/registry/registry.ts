import {KkError} from '../../errors.ts'

/** Where images are pushed to: `127.0.0.1:5000`, `registry.example.org/cloud`. */
export interface Registry {
  /** As it stands before an image's name. */
  readonly name: string
  readonly host: string
  /** Below which images lie; empty, or ends with a slash. */
  readonly prefix: string
  /** Without TLS: asked for, or on this machine's loopback. */
  readonly plain: boolean
}

/** Throws `KK_USAGE`. */
export function parseRegistry(text: string, {plain = false} = {}): Registry {
  const found = /^(?<host>[\w.-]+(:\d+)?|\[[\da-fA-F:]+\](:\d+)?)(?<path>(\/[a-z\d._-]+)*)$/.exec(
    text,
  )?.groups
  if (!found) throw notARegistry(text)
  const host = found.host!
  const path = found.path!.slice(1)
  return {name: text, host, prefix: path && `${path}/`, plain: plain || isLoopback(host)}
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/.test(host)
}

function notARegistry(text: string): KkError {
  return new KkError('KK_USAGE', `${JSON.stringify(text)} is no registry`, {
    hint: 'name it as images do, without a scheme: 127.0.0.1:5000, registry.example.org/cloud',
  })
}
