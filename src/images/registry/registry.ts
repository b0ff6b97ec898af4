import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {isLoopback} from '../../base/loopback.ts'
import {temporaryDirectory} from '../../state/files/temporary-directory.ts'
import {fetchThroughProxy} from '../../state/network/fetch.ts'
import {runProgram} from '../building/buildah.ts'
import type {Image} from '../image.ts'

/** The destination of pushed images: `127.0.0.1:5000`, `registry.example.org/cloud`. */
export interface Registry {
  /** As written before an image's name. */
  readonly name: string
  readonly host: string
  /** The path prefix of images; empty, or ends with a slash. */
  readonly prefix: string
  /** Without TLS: requested, or on the loopback interface. */
  readonly plain: boolean
}

/** Parses the address of a registry. Throws `KK_USAGE`. */
export function parseRegistry(text: string, {plain = false} = {}): Registry {
  const groups = /^(?<host>[\w.-]+(:\d+)?|\[[\da-fA-F:]+\](:\d+)?)(?<path>(\/[a-z\d._-]+)*)$/.exec(
    text,
  )?.groups
  if (!groups) throw notARegistry(text)
  const host = groups.host!
  const path = groups.path!.slice(1)
  return {name: text, host, prefix: path && `${path}/`, plain: plain || isLoopback(host)}
}

function notARegistry(text: string): KkError {
  return new KkError('KK_USAGE', `${JSON.stringify(text)} is not a registry`, {
    hint: 'write it as in image references, without a scheme: 127.0.0.1:5000, registry.example.org/cloud',
  })
}

/** Pushes a built image; resolves with the digest of its manifest in the registry. Throws `KK_IMAGE`. */
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

/**
 * Resolves with the digest of the image's tag in a registry; undefined if missing, or if access requires a
 * login.
 */
export async function pushedDigest(
  {repository, tag}: Image,
  {host, prefix, plain}: Registry,
  signal: AbortSignal = AbortSignal.timeout(10_000),
): Promise<string | undefined> {
  const url = `${plain ? 'http' : 'https'}://${host}/v2/${prefix}${repository}/manifests/${tag}`
  const options = {method: 'HEAD', headers: {accept: MANIFESTS}, signal}
  const response = await fetchThroughProxy(url, options).catch(() => undefined)
  return response?.ok ? (response.headers.get('docker-content-digest') ?? undefined) : undefined
}
