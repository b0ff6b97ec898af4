import {saysSecret} from './looks-secret.ts'
import {replaceBelow} from './secrets-below.ts'

const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g
/** `password =`, `"token":` and `--db-password=`, with what comes before the value. */
const ASSIGNMENT = /(?<![\w.-])([\w.-]+)[\\"']*\s*[:=]\s*(?=\S)/g
/** Nothing, or what stands for a value: a template, a variable, a mask, a block text that follows. */
const PLACEHOLDER =
  /^[\\"']*(?:\{\{.*\}\}|\$\{\w+\}|\$\(\w+\)|true|false|null|none|\*{3}|[|>][-+\d]*)?[\\"']*[\s,;)}\]]*$/i
const URL_PASSWORD = /(:\/\/[^\s/@:]*:)([^\s@]+)(?=@)/g
/** A word with digits or capitals, not "Bearer authentication". */
const BEARER = /(\bBearer\s+)(?=[a-z.~+/=_-]*[\dA-Z])([\w.~+/=-]{8,})/g

/**
 * The text with its secrets replaced: what follows a key such as `password =` or `"token":` up to the end of its line,
 * or stands in the lines below it, passwords in URLs, tokens after `Bearer`, and private keys. For texts whose secrets are not known.
 */
export function replaceSecrets(text: string, replace: (secret: string) => string): string {
  if (!/[:=]|Bearer\s|-----BEGIN/.test(text)) return text
  const after = (_: string, start: string, secret: string) => start + replace(secret)
  return replaceBelow(text.replace(PRIVATE_KEY, replace).split('\n'), replace)
    .map((line) => replaceAssigned(line, replace))
    .join('\n')
    .replace(URL_PASSWORD, after)
    .replace(BEARER, after)
}

function replaceAssigned(line: string, replace: (secret: string) => string): string {
  for (const {0: start, 1: key = '', index} of line.matchAll(ASSIGNMENT)) {
    const end = index + start.length
    const value = line.slice(end)
    if (saysSecret(key, value) && !PLACEHOLDER.test(value)) return line.slice(0, end) + replace(value)
  }
  return line
}
