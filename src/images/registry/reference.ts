import {KkError} from '../../base/errors.ts'

/** An image reference as container runtimes parse it: `quay.io/ns/keystone:2025.1@sha256:…`. */
export interface ImageReference {
  /** The reference as written. */
  readonly text: string
  /** The registry; defaults to `docker.io`. */
  readonly host: string
  /** Without the registry: `openstack.kolla/keystone`. */
  readonly repository: string
  readonly tag: string | undefined
  /** `sha256:…` */
  readonly digest: string | undefined
}

const REFERENCE =
  /^(?<name>[^@\s]+?)(?::(?<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(?<digest>sha256:[0-9a-f]{64}))?$/
const HOST = /^(?:[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9a-fA-F:]+\])(?::\d+)?$/
const REPOSITORY = /^[a-z0-9]+(?:(?:\.|_{1,2}|-+|\/)[a-z0-9]+)*$/

/**
 * Parses a reference; the tag defaults to `latest` without a digest. Throws `KK_IMAGE` if no runtime would
 * accept it.
 */
export function parseReference(text: string): ImageReference {
  const {name = '', tag, digest} = REFERENCE.exec(text)?.groups ?? {}
  const [first = '', ...rest] = name.split('/')
  // docker's distribution/reference: the first part is a registry if it has a dot or a port, or is localhost.
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost')
  const path = isHost ? rest.join('/') : name
  const host = isHost ? first : 'docker.io'
  const repository = host === 'docker.io' && !path.includes('/') ? `library/${path}` : path
  if (!HOST.test(host) || !REPOSITORY.test(repository))
    throw new KkError('KK_IMAGE', `${JSON.stringify(text)} is not an image reference`, {
      hint: 'expected [HOST/]NAME[:TAG][@sha256:DIGEST]',
    })
  return {text, host, repository, tag: tag ?? (digest === undefined ? 'latest' : undefined), digest}
}
