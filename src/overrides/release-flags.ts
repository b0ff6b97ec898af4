import {KkError} from '../errors.ts'

/** `--values keystone=extra.yaml` */
export interface ValuesFlag {
  readonly release: string
  readonly file: string
}

/** `--set keystone:pod.replicas.api=3` */
export interface SetFlag {
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
export function parseSetFlag(text: string): SetFlag {
  const {head: release, tail: expression} = cut(text, ':')
  if (RELEASE.test(release) && expression?.includes('=')) return {release, expression}
  throw new KkError('KK_USAGE', `--set ${withoutValue(text)}: expected RELEASE:KEY=VALUE`, {
    hint: 'for example --set keystone:pod.replicas.api=3',
  })
}

/** Longer keys are no chart's; the start of one suffices to find it. */
const LONGEST_SHOWN = 200

/** Returns what can be shown of `RELEASE:KEY=VALUE`. */
export function withoutValue(text: string): string {
  const {head, tail} = cut(text, '=')
  if (tail !== undefined)
    return `${head.length > LONGEST_SHOWN ? `${head.slice(0, LONGEST_SHOWN)}…` : head}=***`
  return /^[a-z0-9./-]*:?[\w.[\]/-]*$/i.test(head) ? head : '***'
}

function cut(text: string, at: string): {head: string; tail: string | undefined} {
  const index = text.indexOf(at)
  return index < 0 ? {head: text, tail: undefined} : {head: text.slice(0, index), tail: text.slice(index + 1)}
}
