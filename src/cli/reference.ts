/** The entry of a command in the table, as far as docs, man pages and completions use it. */
export interface CommandReference {
  readonly id: string
  readonly summary: string
  readonly description?: string
  readonly usage?: string
  /** Each a command line, optionally after a line that describes it. */
  readonly examples: readonly string[]
  readonly args: Readonly<Record<string, ArgumentReference>>
  readonly flags: Readonly<Record<string, FlagReference>>
  readonly hidden?: boolean
  /** Whether extra arguments are an error. */
  readonly strict: boolean
}

/** All commands by their IDs, without loading them, and the loader of each. */
export interface CommandTable {
  readonly commands: Readonly<Record<string, CommandReference>>
  readonly loaders: Readonly<Record<string, () => Promise<{readonly default: unknown}>>>
}

export interface ArgumentReference {
  readonly name: string
  readonly description?: string
  readonly required?: boolean
  readonly multiple?: boolean
  readonly options?: readonly string[]
}

export interface FlagReference {
  readonly name: string
  readonly char?: string
  /** Other short forms. */
  readonly summary: string
  readonly type: 'boolean' | 'option'
  readonly allowNo?: boolean
  readonly helpGroup?: string
  readonly helpValue?: string
  readonly default?: unknown
  readonly options?: readonly string[]
  readonly exclusive?: readonly string[]
}

/** Returns all commands, sorted by their names. */
export function commandsOf({commands}: CommandTable): readonly CommandReference[] {
  return Object.values(commands).toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** Returns the words of a command as typed by the user: `charts publish`. */
export function commandName({id}: Pick<CommandReference, 'id'>): string {
  return id.replaceAll(':', ' ')
}

/** Returns the command line of an example, and its description, which is an optional line above. */
export function exampleOf(example: string): {readonly command: string; readonly about: string | undefined} {
  const [command, about] = example.split('\n').toReversed()
  return {command: command!, about}
}

/** Returns what follows the words of a command in its usage line: its arguments and `[FLAGS]`. */
export function usageOf({args, usage}: CommandReference): string {
  const words = Object.values(args).map(({name, required, multiple}) => {
    const word = `${name.toUpperCase()}${multiple ? '...' : ''}`
    return required ? word : `[${word}]`
  })
  return usage ?? [...words, '[FLAGS]'].join(' ')
}

/** Returns the arguments of a command, each with its name in the usage line: `[FILE] [RELEASE...]`. */
export function namedArguments(command: CommandReference): readonly (readonly [string, ArgumentReference])[] {
  const all = Object.values(command.args)
  const [only] = all
  if (all.length !== 1 || !only?.multiple)
    return all.map((argument) => [argument.name.toUpperCase(), argument])
  const name = usageOf(command).replaceAll(/ ?(--\S+ \S+|\[FLAGS\])/g, '')
  return [[name, only]]
}

/** Returns a flag with its short form and its value: `-e, --environment FILE`. */
export function flagWords({char, name, type, allowNo, helpValue, options}: FlagReference): string {
  const value = type === 'boolean' ? '' : ` ${helpValue ?? (options ? name.toUpperCase() : 'VALUE')}`
  return `${char === undefined ? '' : `-${char}, `}--${allowNo ? '[no-]' : ''}${name}${value}`
}
