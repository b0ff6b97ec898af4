import type {Position} from '../base/position.ts'
import type {StatedRequirement} from './environment.ts'

const REQUIREMENT =
  /^(?:([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)\/)?([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)(?::(ready|applied))?$/

/**
 * Parses a requirement in the syntax of environments and chart annotations (`placement`, `neutron:applied`,
 * `infra/mariadb`); undefined for any other string.
 */
export function parseRequirement(text: string, position?: Position): StatedRequirement | undefined {
  const parts = REQUIREMENT.exec(text)
  if (!parts) return undefined
  const [, namespace, release = '', kind] = parts
  return {
    release,
    ...(namespace !== undefined && {namespace}),
    kind: kind === 'applied' ? 'applied' : 'ready',
    ...(position && {position}),
  }
}
