import type {Position} from '../base/position.ts'
import type {StatedRequirement} from './environment.ts'

const SHAPE =
  /^(?:([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)\/)?([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)(?::(ready|applied))?$/

/**
 * Returns the requirement that a text states, as environments and annotations of charts write it (`placement`,
 * `neutron:applied`, `infra/mariadb`); undefined for any other text.
 */
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
