import {commands} from '../../src/commands/table.ts'
import {markdownTable} from './marked.ts'

/** What the table of commands says of one, as far as the reference shows it. */
interface Command {
  readonly id: string
  readonly summary: string
  readonly description?: string
  readonly usage?: string
  readonly examples: readonly (string | {readonly description: string; readonly command: string})[]
  readonly flags: Readonly<Record<string, Flag>>
}

interface Flag {
  readonly name: string
  readonly char?: string
  readonly summary: string
  readonly type: 'boolean' | 'option'
  readonly allowNo?: boolean
  readonly helpGroup?: string
  readonly helpValue?: string
  readonly default?: unknown
  readonly options?: readonly string[]
  readonly exclusive?: readonly string[]
}

const COMMANDS = (Object.values(commands) as unknown as readonly Command[]).toSorted((a, b) =>
  a.id < b.id ? -1 : 1,
)
/** The group of the flags that every command has; they are not named with each. */
const EVERYWHERE = 'GLOBAL'

const TITLES: Readonly<Record<string, string>> = {
  GLOBAL: 'Of every command:',
  VALUES: 'Values on top of those of the environment:',
  CLUSTER: 'Which cluster, and which helm:',
}

/** A link to each command with its summary. */
export function commandList(): string {
  return markdownTable(
    ['command', 'what it does'],
    COMMANDS.map((command) => [
      `[${words(command)}](#${words(command).replaceAll(' ', '-')})`,
      command.summary,
    ]),
  )
}

/** A section per command. */
export function commandSections(): string {
  return COMMANDS.map(section).join('\n\n')
}

/** The flags that many commands share, by the group under which help shows them. */
export function sharedFlags(): string {
  const flags = new Map(
    COMMANDS.flatMap((command) => grouped(command).map((flag) => [flag.name, flag] as const)),
  )
  const groups = Map.groupBy(flags.values(), (flag) => flag.helpGroup!)
  return [...groups]
    .map(([group, members]) => `${TITLES[group] ?? group}\n\n${flagTable(members)}`)
    .join('\n\n')
}

function section(command: Command): string {
  const own = Object.values(command.flags).filter((flag) => flag.helpGroup === undefined)
  const shared = grouped(command)
    .filter(({helpGroup}) => helpGroup !== EVERYWHERE)
    .map(({name}) => `\`--${name}\``)
  return [
    `### ${words(command)}`,
    command.summary,
    `\`\`\`text\n${usage(command)}\n\`\`\``,
    command.description?.replaceAll('\n', ' '),
    own.length > 0 ? flagTable(own) : undefined,
    shared.length > 0
      ? `${own.length > 0 ? 'And' : 'Flags:'} ${shared.join(', ')} (see [shared flags](#shared-flags)).`
      : undefined,
    `\`\`\`sh\n${command.examples.map(example).join('\n')}\n\`\`\``,
  ]
    .filter((part) => part !== undefined)
    .join('\n\n')
}

function grouped({flags}: Command): readonly Flag[] {
  return Object.values(flags).filter((flag) => flag.helpGroup !== undefined)
}

function words({id}: Command): string {
  return `kk ${id.replaceAll(':', ' ')}`
}

function usage(command: Command): string {
  return `${words(command)} ${command.usage ?? ''}`.trim()
}

function example(stated: Command['examples'][number]): string {
  if (typeof stated === 'string') return stated.replaceAll('<%= config.bin %>', 'kk')
  return `# ${stated.description}\n${example(stated.command)}`
}

function flagTable(flags: readonly Flag[]): string {
  return markdownTable(
    ['flag', 'meaning'],
    flags.map((flag) => [flagName(flag), flagMeaning(flag)]),
  )
}

function flagName({char, name, type, allowNo, helpValue, options}: Flag): string {
  const value = type === 'boolean' ? '' : ` ${helpValue ?? (options ? name.toUpperCase() : 'VALUE')}`
  return `\`${char === undefined ? '' : `-${char}, `}--${allowNo ? '[no-]' : ''}${name}${value}\``
}

function flagMeaning({summary, default: standard, options, exclusive = []}: Flag): string {
  const choices = options?.map((option) => `\`${option}\``).join(', ')
  return [
    summary,
    choices && `One of ${choices}.`,
    standard !== undefined && standard !== false && `Default: \`${standard}\`.`,
    exclusive.length > 0 && `Not with ${exclusive.map((other) => `\`--${other}\``).join(', ')}.`,
  ]
    .filter(Boolean)
    .join(' ')
}
