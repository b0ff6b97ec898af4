import {redactLines} from '../../helm/redact/redact-lines.ts'

/** Whether a text has a secret in it: one of these passwords, or what looks like one. */
export function isSecretText(text: string, passwords: readonly string[]): boolean {
  return passwords.some((password) => text.includes(password)) || redactLines(text) !== text
}
