import type {Redact} from '../../helm/redact/redact.ts'
import type {Execution} from './execution.ts'

/** Masks the secrets of the release, and those of its whole environment: a pod may print what another release was given. */
export function masking({mask, redact = (text) => text}: Pick<Execution, 'mask' | 'redact'>): Redact {
  return (text) => mask(redact(text))
}
