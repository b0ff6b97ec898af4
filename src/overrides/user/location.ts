import {join, resolve} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {stateDirectory} from '../../state/directories.ts'

/** The location of a store. */
export type StoreLocation =
  | {readonly kind: 'sqlite'; readonly path: string}
  | {readonly kind: 'postgres'; readonly url: string}

interface LocationOptions {
  /** A file or a `postgres://` URL; by default the file of that name in kk's state directory. */
  readonly location?: string | undefined
  readonly name: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Returns the location of a store. Throws `KK_USAGE` for a URL that is not PostgreSQL's, without the URL,
 * which may contain a password.
 */
export function storeLocation({location, name, env}: LocationOptions): StoreLocation {
  if (!location) return {kind: 'sqlite', path: join(stateDirectory(env), 'stores', `${name}.sqlite`)}
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(location)) return {kind: 'sqlite', path: resolve(location)}
  if (/^postgres(?:ql)?:/i.test(location) && URL.canParse(location)) return {kind: 'postgres', url: location}
  throw new KkError('KK_USAGE', 'expected the override store as a file or as a URL of PostgreSQL', {
    hint: 'a URL looks like postgres://USER@HOST:5432/DATABASE; characters like @ or / in a password are written as %40, %2F',
  })
}

/** Formats the location for display: a URL without its password. */
export function locationText(location: StoreLocation): string {
  if (location.kind === 'sqlite') return location.path
  const url = new URL(location.url)
  url.password = ''
  url.search = ''
  return url.href
}
