import {KkError} from '../base/errors.ts'
import {looksSecret} from '../redact/looks-secret.ts'

/** `--values keystone=extra.yaml` */
export interface ValuesFlag {
  readonly release: string
  readonly file: string
}

/** `--set keystone:pod.replicas.api=3`, or `--set-string` */
export interface SetFlag {
  readonly flag: '--set' | '--set-string'
  readonly release: string
  /** In Helm's `--set` grammar. */
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

/** Longer keys are no chart's; the start of one suffices to find it. */
const LONGEST_SHOWN = 200

/** A key, with its release or without one, up to the first character that none has. */
const KEY = /^(?:[a-z0-9./-]+:)?(?:\\.|[\w./-]|\[\d*\])*/i

/** Returns what of `RELEASE:KEY=VALUE` can be shown: nothing that may be a part of the value. */
export function withoutValue(text: string): string {
  const {head, tail} = cut(text, '=')
  if (tail === undefined) {
    const {head: release, tail: rest} = cut(text, ':')
    return rest !== undefined && RELEASE.test(release) && !looksSecret(release) ? `${release}:***` : '***'
  }
  const [key = ''] = KEY.exec(head) ?? []
  const secret = [...key.matchAll(/:/g)].find(({index}) => looksSecret(key.slice(0, index)))
  if (secret) return `${key.slice(0, secret.index + 1)}***=***`
  if (key.length > LONGEST_SHOWN) return `${key.slice(0, LONGEST_SHOWN)}…=***`
  return key.length === head.length ? `${key}=***` : `${key}***=***`
}

function cut(text: string, at: string): {head: string; tail: string | undefined} {
  const index = text.indexOf(at)
  return index < 0 ? {head: text, tail: undefined} : {head: text.slice(0, index), tail: text.slice(index + 1)}
}
