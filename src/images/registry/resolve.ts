import {KkError} from '../../base/errors.ts'
import type {ContentStore} from './content.ts'
import {openDistribution} from './distribution.ts'
import {parseReference} from './reference.ts'

interface ResolvingOptions {
  readonly env: NodeJS.ProcessEnv
  readonly signal?: AbortSignal
}

/** Returns the registries that images are read from, each opened once. */
export function sourceRegistries(options: ResolvingOptions): (host: string) => ContentStore {
  const opened = new Map<string, ContentStore>()
  return (host) => {
    const store = opened.get(host) ?? openDistribution({host, ...options})
    opened.set(host, store)
    return store
  }
}

/** Returns what tells the digest of an image: what its reference states, else what its registry has. Rejects with `KK_IMAGE`. */
export function digestResolver(
  registries: (host: string) => ContentStore,
): (image: string) => Promise<string> {
  return async (image) => {
    const {host, repository, tag, digest} = parseReference(image)
    const found = digest ?? (await registries(host).digestOf(repository, tag!))
    if (found !== undefined) return found
    throw new KkError('KK_IMAGE', `the registry ${host} does not have ${repository}:${tag}`, {
      hint: 'push it there, or correct its name in the values',
    })
  }
}
