import {KkError} from '../base/errors.ts'
import {looksSecret} from '../redact/looks-secret.ts'

/** The flag `--values keystone=extra.yaml`. */
export interface ValuesFlag {
  readonly release: string
  readonly file: string
}

/** The flag `--set keystone:pod.replicas.api=3`, or `--set-string`. */
export interface SetFlag {
  readonly flag: '--set' | '--set-string'
  readonly release: string
  /** The expression in Helm's `--set` grammar. */
  readonly expression: string
}

const RELEASE = /^(?:[a-z0-9][a-z0-9.-]*\/)?[a-z0-9][a-z0-9.-]*$/

/** Reads `RELEASE=FILE`. Throws `KK_USAGE`. */
export function parseValuesFlag(text: string): ValuesFlag {
  const {head: release, tail: file} = cut(text, '=')
  if (RELEASE.test(release) && file) return {release, file}
  throw new KkError('KK_USAGE', `--values ${text}: expected RELEASE=FILE`, {
    hint: 'for example --values keystone=extra.yaml',
  })
}

/** Reads `RELEASE:KEY=VALUE`. Throws `KK_USAGE`; the value can be a secret and is not repeated. */
export function parseSetFlag(flag: SetFlag['flag'], text: string): SetFlag {
  const {head: release, tail: expression} = cut(text, ':')
  if (RELEASE.test(release) && expression?.includes('=')) return {flag, release, expression}
  throw new KkError('KK_USAGE', `${flag} ${withoutValue(text)}: expected RELEASE:KEY=VALUE`, {
    hint: `for example ${flag} keystone:pod.replicas.api=3`,
  })
}

/** The maximum number of characters of a key that a message shows; no chart has longer keys. */
const MAX_SHOWN_CHARACTERS = 200

/** A key, with or without its release, up to the first character that no key contains. */
const KEY = /^(?:[a-z0-9./-]+:)?(?:\\.|[\w./-]|\[\d*\])*/i

/** Returns the part of `RELEASE:KEY=VALUE` that can be shown: nothing that may be a part of the value. */
export function withoutValue(text: string): string {
  const {head, tail} = cut(text, '=')
  if (tail === undefined) {
    const {head: release, tail: rest} = cut(text, ':')
    return rest !== undefined && RELEASE.test(release) && !looksSecret(release) ? `${release}:***` : '***'
  }
  const [key = ''] = KEY.exec(head) ?? []
  const secret = [...key.matchAll(/:/g)].find(({index}) => looksSecret(key.slice(0, index)))
  if (secret) return `${key.slice(0, secret.index + 1)}***=***`
  if (key.length > MAX_SHOWN_CHARACTERS) return `${key.slice(0, MAX_SHOWN_CHARACTERS)}…=***`
  return key.length === head.length ? `${key}=***` : `${key}***=***`
}

function cut(text: string, at: string): {head: string; tail: string | undefined} {
  const index = text.indexOf(at)
  return index < 0 ? {head: text, tail: undefined} : {head: text.slice(0, index), tail: text.slice(index + 1)}
}
