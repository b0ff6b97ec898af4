import {EXIT_CODES} from '../../src/base/errors.ts'
import {
  type CommandReference,
  commandName,
  commandsOf,
  exampleOf,
  type FlagReference,
  flagWords,
  namedArguments,
  usageOf,
} from '../../src/cli/reference.ts'
import {WORDS} from '../../src/cli/root-help.ts'
import {table} from '../../src/table.js'
import {VARIABLES, type Variable, variablesOf} from '../docs/variables.ts'
import {environmentPage} from './environment-page.ts'
import {
  bold,
  definitions,
  literal,
  type ManPage,
  type ManVersion,
  manPage,
  roffText,
  seeAlso,
} from './roff.ts'

const COMMANDS = commandsOf(table)

/** The group of the flags of every command; they are only on the page of kk. */
const EVERYWHERE = 'GLOBAL'

/** The pages of kk, of each command or group of commands, and of the environment file. */
export function manPages(of: ManVersion): readonly ManPage[] {
  const groups = Map.groupBy(
    COMMANDS.filter(({hidden}) => !hidden),
    ({id}) => id.split(':')[0]!,
  )
  const pages = [...groups].map(([word, commands]) => commandPage(of, word, commands))
  return [mainPage(of, [...groups]), ...pages, environmentPage(of)]
}

type Groups = readonly (readonly [string, readonly CommandReference[]])[]

function mainPage(of: ManVersion, groups: Groups): ManPage {
  const everywhere = COMMANDS[0]!.flags
  const flags = Object.values(everywhere).filter(({helpGroup}) => helpGroup === EVERYWHERE)
  return manPage({...of, name: 'kk', section: 1, summary: 'deploys and runs OpenStack on Kubernetes'}, [
    ['SYNOPSIS', `${bold('kk')} \\fICOMMAND\\fR [\\fIARGUMENT\\fR ...] [\\fIFLAG\\fR ...]`],
    [
      'DESCRIPTION',
      roffText(
        'One YAML file, the environment, says which services a cloud has. kk works out which service needs which, and runs helm for each of them in that order, one chart per service. What several services share is installed once, and left alone as long as anything uses it.',
      ),
    ],
    [
      'COMMANDS',
      `Each has a page of its own: \\fBman kk\\-deploy\\fR.\n${definitions(
        groups.map(([word, commands]) => [bold(word), summaryOf(word, commands)]),
      )}`,
    ],
    ['OPTIONS', definitions(flags.map(flagDefinition))],
    ['ENVIRONMENT', environmentVariables(VARIABLES)],
    ['EXIT STATUS', definitions(Object.entries(EXIT_CODES).map(([code, text]) => [bold(code), text]))],
    [
      'SEE ALSO',
      `${seeAlso([...groups.map(([word]) => [`kk-${word}`, 1] as const), ['kk-environment', 5], ['helm', 1]])}\n.PP\n${roffText('kk help TERM explains a term, such as kk help gate; kk docs prints the documentation.')}`,
    ],
  ])
}

function environmentVariables(variables: readonly Variable[]): string {
  return definitions(
    variables.map(({names, meaning}) => [
      names.map(bold).join(', '),
      meaning.replaceAll(/\[([^\]]+)\]\([^)]+\)|`/g, '$1'),
    ]),
  )
}

function summaryOf(word: string, commands: readonly CommandReference[]): string {
  const [first] = commands
  return first!.id === word ? first!.summary : `${WORDS[word]}.`
}

function commandPage(of: ManVersion, word: string, commands: readonly CommandReference[]): ManPage {
  const summary = summaryOf(word, commands).replace(/\.$/, '')
  const [only] = commands
  const told =
    commands.length === 1
      ? ([
          ['DESCRIPTION', description(only!)],
          ['OPTIONS', options(only!)],
          ['EXAMPLES', examples(only!)],
        ] as const)
      : ([['COMMANDS', commands.map(subsection).join('\n')]] as const)
  const variables = VARIABLES.filter((variable) =>
    commands.some((command) => variablesOf(command).includes(variable)),
  )
  return manPage({...of, name: `kk-${word}`, section: 1, summary}, [
    ['SYNOPSIS', commands.map(synopsis).join('\n.br\n')],
    ...told,
    ...(variables.length > 0 ? [['ENVIRONMENT', environmentVariables(variables)] as const] : []),
    [
      'SEE ALSO',
      seeAlso([
        ['kk', 1],
        ['kk-environment', 5],
      ]),
    ],
  ])
}

function subsection(command: CommandReference): string {
  return [
    `.SS kk ${roffText(commandName(command))}`,
    `${roffText(command.summary)}\n.PP`,
    description(command),
    options(command),
    examples(command),
  ]
    .filter((part) => part !== '')
    .join('\n')
}

function synopsis(command: CommandReference): string {
  return `${bold(`kk ${commandName(command)}`)} ${roffText(usageOf(command))}`
}

function description(command: CommandReference): string {
  const {description: text = ''} = command
  const list = namedArguments(command).map(
    ([name, {description: about = '', options: choices}]) =>
      [`\\fI${roffText(name)}\\fR`, choices ? `${about} One of ${choices.join(', ')}.` : about] as const,
  )
  return [roffText(text.replaceAll('\n', ' ')), definitions(list)].filter((part) => part !== '').join('\n')
}

function options({flags}: CommandReference): string {
  const own = Object.values(flags).filter(({helpGroup}) => helpGroup !== EVERYWHERE)
  return definitions(own.map(flagDefinition))
}

function flagDefinition(flag: FlagReference): readonly [string, string] {
  const {summary, default: standard, options: choices, exclusive = []} = flag
  const text = [
    summary,
    choices && `One of ${choices.join(', ')}.`,
    standard !== undefined && standard !== false && `Default: ${String(standard)}.`,
    exclusive.length > 0 && `Not with ${exclusive.map((other) => `--${other}`).join(', ')}.`,
  ]
  return [bold(flagWords(flag)), text.filter(Boolean).join(' ')]
}

function examples({examples: stated}: CommandReference): string {
  const lines = stated
    .map(exampleOf)
    .flatMap(({about, command}) => [...(about ? [`# ${about}`] : []), command])
  return literal(lines)
}
