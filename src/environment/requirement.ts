import type {Position} from '../release.ts'
import type {StatedRequirement} from './environment.ts'

const SHAPE =
  /^(?:([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)\/)?([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)(?::(ready|applied))?$/

/** `placement`, `neutron:applied`, `infra/mariadb`, as environments and the annotations of charts write it; undefined for anything else. */
export function parseRequirement(text: string, position?: Position): StatedRequirement | undefined {
  const parts = SHAPE.exec(text)
  if (!parts) return undefined
  const [, namespace, release = '', kind] = parts
  return {
    release,
    ...(namespace !== undefined && {namespace}),
    kind: kind === 'applied' ? 'applied' : 'ready',
    ...(position && {position}),
  }
}
