import {KkError} from '../../base/errors.ts'

/** The parts of an image's name as container runtimes read it: `quay.io/ns/keystone:2025.1@sha256:…`. */
export interface ImageReference {
  /** As it was written. */
  readonly text: string
  /** The registry; `docker.io` where none is named. */
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

/** Reads a reference; without tag and digest it means `latest`. Throws `KK_IMAGE` for what no runtime would pull. */
export function parseReference(text: string): ImageReference {
  const {name = '', tag, digest} = REFERENCE.exec(text)?.groups ?? {}
  const [first = '', ...rest] = name.split('/')
  // Of docker's distribution/reference: a first part is a registry by its dot, its port, or the name localhost.
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost')
  const path = isHost ? rest.join('/') : name
  const host = isHost ? first : 'docker.io'
  const repository = host === 'docker.io' && !path.includes('/') ? `library/${path}` : path
  if (!HOST.test(host) || !REPOSITORY.test(repository))
    throw new KkError('KK_IMAGE', `${JSON.stringify(text)} is no reference of an image`, {
      hint: 'expected [HOST/]NAME[:TAG][@sha256:DIGEST]',
    })
  return {text, host, repository, tag: tag ?? (digest === undefined ? 'latest' : undefined), digest}
}
