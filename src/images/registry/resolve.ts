import {KkError} from '../../base/errors.ts'
import type {ContentStore} from './content.ts'
import {openDistribution} from './distribution.ts'
import {parseReference} from './reference.ts'

interface ResolvingOptions {
  readonly env: NodeJS.ProcessEnv
  readonly signal?: AbortSignal
}

/** Returns the registries from which images are read, each opened once. */
export function sourceRegistries(options: ResolvingOptions): (host: string) => ContentStore {
  const opened = new Map<string, ContentStore>()
  return (host) => {
    const store = opened.get(host) ?? openDistribution({host, ...options})
    opened.set(host, store)
    return store
  }
}

/**
 * Returns a function that resolves an image to its digest: the one in its reference, otherwise the one that
 * its registry reports. Rejects with `KK_IMAGE`.
 */
export function digestResolver(
  registries: (host: string) => ContentStore,
): (image: string) => Promise<string> {
  return async (image) => {
    const {host, repository, tag, digest} = parseReference(image)
    const resolved = digest ?? (await registries(host).digestOf(repository, tag!))
    if (resolved !== undefined) return resolved
    throw new KkError('KK_IMAGE', `the registry ${host} does not have ${repository}:${tag}`, {
      hint: 'push it there, or correct its name in the values',
    })
  }
}
