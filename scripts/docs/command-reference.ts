import {
  type CommandReference as Command,
  commandName,
  commandsOf,
  exampleOf,
  type FlagReference as Flag,
  flagWords,
  usageOf,
} from '../../src/cli/reference.ts'
import {table} from '../../src/table.js'
import {markdownTable} from './marked.ts'

const COMMANDS = commandsOf(table)

/** The group of the flags of every command; they are not listed with each. */
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
    argumentTable(command),
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

function words(command: Command): string {
  return `kk ${commandName(command)}`
}

function usage(command: Command): string {
  return `${words(command)} ${usageOf(command)}`
}

function example(stated: string): string {
  const {command, about} = exampleOf(stated)
  return about === undefined ? command : `# ${about}\n${command}`
}

function argumentTable({args}: Command): string | undefined {
  const rows = Object.values(args).map(({name, description = '', options}) => [
    `\`${name.toUpperCase()}\``,
    [description, choicesOf(options)].filter(Boolean).join(' '),
  ])
  return rows.length > 0 ? markdownTable(['argument', 'meaning'], rows) : undefined
}

function choicesOf(options: readonly string[] | undefined): string | undefined {
  return options && `One of ${options.map((option) => `\`${option}\``).join(', ')}.`
}

function flagTable(flags: readonly Flag[]): string {
  return markdownTable(
    ['flag', 'meaning'],
    flags.map((flag) => [`\`${flagWords(flag)}\``, flagMeaning(flag)]),
  )
}

function flagMeaning({summary, default: standard, options, exclusive = []}: Flag): string {
  return [
    summary,
    choicesOf(options),
    standard !== undefined && standard !== false && `Default: \`${standard}\`.`,
    exclusive.length > 0 && `Not with ${exclusive.map((other) => `\`--${other}\``).join(', ')}.`,
  ]
    .filter(Boolean)
    .join(' ')
}
