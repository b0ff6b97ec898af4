/** Returns a text in single quotes, as a POSIX shell reads it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Returns an argument of a command line, in quotes if a shell would change it otherwise. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word)
}
