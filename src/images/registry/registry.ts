import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {temporaryDirectory} from '../../state/files/temporary-directory.ts'
import {fetchThroughProxy} from '../../state/network/fetch.ts'
import {runProgram} from '../building/buildah.ts'
import type {Image} from '../image.ts'

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

/** Returns true for a registry on this machine, by its name and port. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/.test(host)
}

function notARegistry(text: string): KkError {
  return new KkError('KK_USAGE', `${JSON.stringify(text)} is no registry`, {
    hint: 'name it as images do, without a scheme: 127.0.0.1:5000, registry.example.org/cloud',
  })
}

/** Pushes a built image; resolves with the digest of its manifest there. Throws `KK_IMAGE`. */
export async function pushImage(
  {repository, tag}: Image,
  id: string,
  {name, plain}: Registry,
  signal?: AbortSignal,
): Promise<string> {
  const work = await temporaryDirectory('kk-push-')
  try {
    const digestFile = join(work.path, 'digest')
    const verify = plain ? ['--tls-verify=false'] : []
    const to = `docker://${name}/${repository}:${tag}`
    await runProgram('buildah', ['push', '--quiet', ...verify, '--digestfile', digestFile, id, to], {signal})
    return (await readFile(digestFile, 'utf8')).trim()
  } finally {
    await work.remove()
  }
}

const MANIFESTS = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ')

/** The digest that a registry has under the image's tag; undefined when it has none, or does not say without asking who. */
export async function pushedDigest(
  {repository, tag}: Image,
  {host, prefix, plain}: Registry,
  signal: AbortSignal = AbortSignal.timeout(10_000),
): Promise<string | undefined> {
  const url = `${plain ? 'http' : 'https'}://${host}/v2/${prefix}${repository}/manifests/${tag}`
  const options = {method: 'HEAD', headers: {accept: MANIFESTS}, signal}
  const answer = await fetchThroughProxy(url, options).catch(() => undefined)
  return answer?.ok ? (answer.headers.get('docker-content-digest') ?? undefined) : undefined
}
