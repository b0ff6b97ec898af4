import {replaceSecrets} from './text-secrets.ts'

const MASK = '***'

/** The text without what looks like a secret in it, such as a file that somebody has edited. */
export function redactLines(text: string): string {
  return replaceSecrets(text, () => MASK)
}
