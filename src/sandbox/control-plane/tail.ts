/** Returns the last lines of a text. */
export function tail(text: string, lines: number): string[] {
  return text.trimEnd().split('\n').slice(-lines)
}
