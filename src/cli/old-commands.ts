/** Old names of commands, each with its present name. Help and completions omit them. */
export const OLD_COMMANDS: Readonly<Record<string, string>> = {
  'doctor charts': 'check',
  licenses: 'version --licenses',
}

/**
 * Returns a command line by the present name of its command; for an old one, `say` receives a note. Also for
 * `kk help` and the old name.
 */
export function withPresentName(argv: readonly string[], say: (line: string) => void): readonly string[] {
  const start = argv[0] === 'help' ? 1 : 0
  for (const [old, present] of Object.entries(OLD_COMMANDS)) {
    const words = old.split(' ')
    if (words.some((word, at) => argv[start + at] !== word)) continue
    say(`note: kk ${old} is deprecated; use kk ${present} instead`)
    // Help is of the command, without a flag.
    const presentWords = present.split(' ').filter((word) => start === 0 || !word.startsWith('-'))
    return [...argv.slice(0, start), ...presentWords, ...argv.slice(start + words.length)]
  }
  return argv
}
