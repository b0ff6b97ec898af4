import {quoted} from '../../base/shell.ts'
import {type ArgumentReference, type CommandReference, commandName, type FlagReference} from '../reference.ts'
import {WORDS} from '../root-help.ts'

/**
 * The candidates for a word: `words` of the table, or a kind of name that the script looks up. kk reads
 * `releases` from the environment file; `release=` and `release:` are the beginning of `RELEASE=FILE` and
 * `RELEASE:KEY=VALUE`.
 */
export type Candidates =
  | `words ${string}`
  | 'files'
  | 'directories'
  | 'environments'
  | 'releases'
  | 'release='
  | 'release:'
  | 'owner'
  | 'nothing'

const BY_FLAG: Readonly<Record<string, Candidates>> = {
  environment: 'environments',
  yaml: 'environments',
  release: 'releases',
  confirm: 'releases',
  owner: 'owner',
}

const BY_VALUE: Readonly<Record<string, Candidates>> = {
  FILE: 'files',
  PATH: 'files',
  'FILE|URL': 'files',
  'KIND=FILE': 'words junit= trace= html= json=',
  DIR: 'directories',
  'REGISTRY|DIR': 'directories',
  'RELEASE=FILE': 'release=',
  'RELEASE:KEY=VALUE': 'release:',
}

const BY_ARGUMENT: Readonly<Record<string, Candidates>> = {
  releases: 'releases',
  release: 'releases',
  from: 'releases',
  to: 'releases',
  file: 'environments',
  helmfile: 'environments',
  plan: 'files',
  path: 'files',
  directory: 'directories',
  charts: 'directories',
  destination: 'directories',
}

function flagCandidates({type, name, options, helpValue = ''}: FlagReference): Candidates | undefined {
  if (type === 'boolean') return undefined
  if (options) return `words ${options.join(' ')}`
  return BY_FLAG[name] ?? BY_VALUE[helpValue] ?? 'nothing'
}

function argumentCandidates(argument: ArgumentReference | undefined): Candidates {
  if (argument?.options) return `words ${argument.options.join(' ')}`
  return BY_ARGUMENT[argument?.name ?? ''] ?? 'nothing'
}

export interface Described {
  readonly word: string
  readonly summary: string
}

/** The table of commands as the scripts need it: by the words typed so far. */
export interface Tables {
  /** The words that can follow those of a topic; `''` has the first words of all commands. */
  readonly below: ReadonlyMap<string, readonly Described[]>
  readonly flags: ReadonlyMap<string, readonly Described[]>
  readonly arguments: ReadonlyMap<string, Candidates>
  /** By flag, or by command and flag if commands differ. */
  readonly values: ReadonlyMap<string, Candidates>
}

/** Returns the tables of these commands for the scripts; omits hidden commands. */
export function tables(commands: readonly CommandReference[]): Tables {
  const visible = commands.filter(({hidden}) => !hidden)
  // The key is the spelling: -y is --yes, without a value, in one command, and --yaml FILE in another.
  const bySpelling = Map.groupBy(visible.flatMap(flagUses), ({word}) => word)
  const values = new Map<string, Candidates>()
  for (const uses of bySpelling.values()) {
    const isSame = new Set(uses.map(({candidates}) => candidates)).size === 1
    for (const {command, word, candidates} of uses) {
      if (candidates !== undefined) values.set(isSame ? word : `${command} ${word}`, candidates)
    }
  }
  const below = wordsBelow(visible)
  // kk help completes the words of all commands.
  const ofHelp = [...below].map(([before, words]) => [`help ${before}`.trimEnd(), words] as const)
  return {
    below: new Map([...below, ...ofHelp]),
    flags: new Map(
      visible.map((command) => [commandName(command), Object.values(command.flags).flatMap(described)]),
    ),
    arguments: new Map(
      visible.map((command) => [commandName(command), argumentCandidates(Object.values(command.args)[0])]),
    ),
    values,
  }
}

function flagUses(command: CommandReference) {
  return Object.values(command.flags).flatMap((flag) =>
    spellings(flag).map((word) => ({command: commandName(command), word, candidates: flagCandidates(flag)})),
  )
}

function wordsBelow(all: readonly CommandReference[]): ReadonlyMap<string, readonly Described[]> {
  const below = new Map<string, Map<string, string>>()
  for (const command of all) {
    const words = commandName(command).split(' ')
    for (const [at, word] of words.entries()) {
      const isWhole = at === words.length - 1
      const summary = isWhole ? command.summary : WORDS[word]
      const before = words.slice(0, at).join(' ')
      const siblings = below.get(before) ?? new Map<string, string>()
      if (isWhole || !siblings.has(word)) siblings.set(word, summary ?? '')
      below.set(before, siblings)
    }
  }
  return new Map(
    [...below].map(([before, words]) => [before, [...words].map(([word, summary]) => ({word, summary}))]),
  )
}

function spellings({name, char}: FlagReference): readonly string[] {
  return [`--${name}`, ...(char === undefined ? [] : [`-${char}`])]
}

function described(flag: FlagReference): readonly Described[] {
  const words = [`--${flag.name}`, ...(flag.allowNo ? [`--no-${flag.name}`] : [])]
  return words.map((word) => ({word, summary: flag.summary}))
}

/** Returns the branches of a `case` of bash or zsh; keys with the same text share a branch. */
export function branches(entries: Iterable<readonly [string, string]>): string {
  const byText = Map.groupBy(entries, ([, text]) => text)
  return [...byText]
    .map(([text, keys]) => `    ${keys.map(([key]) => quoted(key)).join('|')}) ${text} ;;`)
    .join('\n')
}

/** Returns the word sequences that name a command or a topic, separated by `|`. */
export function commandPaths({below}: Tables): string {
  return [...below]
    .flatMap(([before, words]) => words.map(({word}) => (before === '' ? word : `${before} ${word}`)))
    .join('|')
}

/**
 * Returns the `case` statements for bash and zsh that find the candidates: by the command (`$id`), by the
 * previous word (`$prev`), or by both.
 */
export function cases(
  {below, flags, arguments: first, values}: Tables,
  listOf: (map: ReadonlyMap<string, readonly Described[]>, name: string) => string,
): string {
  const takes = (isOfCommand: boolean) =>
    assigned('takes', new Map([...values].filter(([key]) => key.includes(' ') === isOfCommand)))
  return [
    ...['case $id in', listOf(below, 'below'), 'esac'],
    ...['case $id in', listOf(flags, 'flags'), 'esac'],
    ...['case $id in', assigned('argument', first), 'esac'],
    ...['case $prev in', takes(false), 'esac'],
    ...['case "$id $prev" in', takes(true), 'esac'],
  ]
    .map((text) => (/^(?:case|esac)/.test(text) ? `  ${text}` : text))
    .join('\n')
}

function assigned(name: string, map: ReadonlyMap<string, Candidates>): string {
  return branches([...map].map(([key, candidates]) => [key, `${name}=${quoted(candidates)}`] as const))
}
