import {
  type CommandReference as Command,
  commandName,
  commandsOf,
  exampleOf,
  type FlagReference as Flag,
  flagWords,
  namedArguments,
  usageOf,
} from '../../src/cli/reference.ts'
import {COMMAND_GROUPS} from '../../src/cli/root-help.ts'
import {table} from '../../src/table.js'
import {markdownTable} from './marked.ts'
import {VARIABLES, variablesOf} from './variables.ts'

const COMMANDS = commandsOf(table)

/** The group of the flags of every command; they are not listed with each. */
const EVERYWHERE = 'GLOBAL'

const TITLES: Readonly<Record<string, string>> = {
  GLOBAL: 'Of every command:',
  VALUES: 'Values on top of those of the environment:',
  CLUSTER: 'Which cluster, and which helm:',
  FAILURE: 'What happens if a release fails:',
  JOB: 'A run as a Job in the cluster:',
  OPERATOR: 'A run by the operator:',
  REMOVAL: 'Removals:',
}

/** A link to the page of each command with its summary, by task as in `kk help`. */
export function commandList(): string {
  return Object.entries(COMMAND_GROUPS)
    .map(([title, group]) => {
      const commands = Object.keys(group).flatMap((word) =>
        COMMANDS.filter(({id}) => id.split(':')[0] === word),
      )
      const rows = commands.map((command) => [
        `[${words(command)}](commands/${pageName(command)}.md)`,
        command.summary,
      ])
      return `### ${title}\n\n${markdownTable(['command', 'what it does'], rows)}`
    })
    .join('\n\n')
}

/** The page of each command, by its name without the extension. */
export function commandPages(): ReadonlyMap<string, string> {
  return new Map(COMMANDS.map((command) => [pageName(command), page(command)]))
}

/** The variables that kk reads. */
export function variableTable(): string {
  const rows = VARIABLES.map(({names, meaning}) => [names.map((name) => `\`${name}\``).join(', '), meaning])
  return markdownTable(['variable', 'meaning'], rows)
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

function page(command: Command): string {
  const own = Object.values(command.flags).filter((flag) => flag.helpGroup === undefined)
  const shared = grouped(command)
    .filter(({helpGroup}) => helpGroup !== EVERYWHERE)
    .map(({name}) => `\`--${name}\``)
  const variables = variablesOf(command).flatMap(({names}) => names.map((name) => `\`${name}\``))
  return `${[
    `# ${words(command)}`,
    '<!-- made by npm run docs -->',
    command.summary,
    `\`\`\`text\n${usage(command)}\n\`\`\``,
    command.description?.replaceAll('\n', ' '),
    argumentTable(command),
    own.length > 0 ? flagTable(own) : undefined,
    shared.length > 0 ? `[Shared flags](../commands.md#shared-flags): ${shared.join(', ')}.` : undefined,
    variables.length > 0
      ? `[Variables](../commands.md#environment-variables): ${variables.join(', ')}.`
      : undefined,
    `\`\`\`sh\n${command.examples.map(example).join('\n')}\n\`\`\``,
  ]
    .filter((part) => part !== undefined)
    .join('\n\n')}\n`
}

function pageName(command: Command): string {
  return words(command).replaceAll(' ', '-')
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

function argumentTable(command: Command): string | undefined {
  const rows = namedArguments(command).map(([name, {description = '', options}]) => [
    `\`${name}\``,
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
