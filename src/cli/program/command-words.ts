/**
 * The command that `-- COMMAND...` hands to another program: all after the first `--`, a second one included, which
 * oclif would put first. Without any, the words that are no flags.
 */
export function commandWords(argv: readonly string[], words: readonly unknown[]): readonly string[] {
  const dashes = argv.indexOf('--')
  return dashes === -1 ? words.map(String) : argv.slice(dashes + 1)
}
