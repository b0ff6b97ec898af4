import type {Image} from '../image.ts'
import type {Registry} from './registry.ts'

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
  const answer = await fetch(url, {method: 'HEAD', headers: {accept: MANIFESTS}, signal}).catch(
    () => undefined,
  )
  return answer?.ok ? (answer.headers.get('docker-content-digest') ?? undefined) : undefined
}
