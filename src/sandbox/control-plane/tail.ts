/** Returns the last lines of a string. */
export function tail(text: string, lines: number): string[] {
  return text.trimEnd().split('\n').slice(-lines)
}
