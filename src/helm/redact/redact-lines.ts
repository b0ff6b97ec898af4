import {looksSecret} from './redact.ts'

const MASK = '***'

/**
 * The text without what looks like a secret in it: what follows a key such as `password =` or `"token":` up to the end of
 * its line, and passwords in URLs. For texts whose secrets are not known, such as files that somebody has edited.
 */
export function redactLines(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const [, start = '', key = ''] = /^(\s*(?:-\s*)?["']?([\w.-]+)["']?\s*[:=]\s*)\S/.exec(line) ?? []
      return key !== '' && looksSecret(key) ? start + MASK : line
    })
    .join('\n')
    .replace(/(:\/\/[^\s/@:]*:)[^\s@]+@/g, `$1${MASK}@`)
}
