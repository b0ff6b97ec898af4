import {KkError} from '../base/errors.ts'
import {suggest} from '../base/suggest.ts'
import type {CommandReference, CommandTable} from './reference.ts'

/** The part of the table that suggestions need. */
type Commands = Pick<CommandTable, 'commands'>

const DEPLOY = ['kk deploy FILE', 'kk upgrade FILE RELEASE --install']
const REMOVE = ['kk remove FILE RELEASE', 'kk destroy FILE --confirm ENVIRONMENT']
const STATUS = ['kk status FILE RELEASE...']
const DIFF = ['kk plan FILE RELEASE... --diff']
const CHECK = ['kk check FILE']
const DRAIN = ['kk node drain NODE FILE']
const LIMITS = ['kk docs limits, which says what to do instead']

/**
 * Verbs of other tools (helm, helmfile, kubectl, docker compose, terraform, flux, kolla-ansible), and their
 * equivalents in kk. FILE and RELEASE are replaced by those of the user. Of several, the first is the one for
 * a verb without arguments, and one without RELEASE is for whole environments.
 */
export const EQUIVALENTS: Readonly<Record<string, readonly string[]>> = {
  install: DEPLOY,
  sync: DEPLOY,
  up: DEPLOY,
  reconcile: DEPLOY,
  list: STATUS,
  ls: STATUS,
  ps: STATUS,
  get: ['kk status FILE'],
  describe: ['kk status FILE'],
  uninstall: REMOVE,
  delete: REMOVE,
  rm: REMOVE,
  down: ['kk destroy FILE --confirm ENVIRONMENT'],
  diff: DIFF,
  preview: DIFF,
  manifest: ['kk render FILE RELEASE'],
  validate: CHECK,
  lint: CHECK,
  prechecks: CHECK,
  template: ['kk render FILE', 'kk render FILE RELEASE'],
  show: ['kk values show FILE RELEASE'],
  explain: ['kk values explain FILE RELEASE'],
  edit: ['kk overrides update CHART NAMESPACE'],
  login: ['kk openrc FILE'],
  search: ['kk charts search'],
  package: ['kk charts package'],
  push: ['kk charts publish'],
  log: ['kk logs FILE RELEASE...', 'kk logs FILE'],
  nodes: ['kk node list FILE'],
  cordon: DRAIN,
  drain: DRAIN,
  uncordon: ['kk node return NODE FILE'],
  evacuate: ['kk node evacuate NODE FILE'],
  migrate: DRAIN,
  backup: LIMITS,
  restore: LIMITS,
}

/** Throws `KK_USAGE` with a suggestion if the first words are neither a command nor a topic. */
export function checkCommand(argv: readonly string[], {commands}: Commands): void {
  const words = leadingWords(argv)
  const [first] = words
  const [option = '--help'] = argv
  if (first === undefined && !['-h', '--help', '--version', '--color', '--no-color'].includes(option)) {
    throw new KkError('KK_USAGE', `expected a command, got ${option}`, {
      hint: 'list all commands with kk --help',
    })
  }
  const ids = Object.keys(commands)
  const id = commandOf(words, {commands})
  if (id !== undefined) expectNoArguments(id, words, commands[id]!)
  if (first === undefined || id !== undefined) return
  const topic = ids.filter((id) => id.startsWith(`${first}:`))
  const [, second] = words
  if (topic.length > 0 && second === undefined) return
  if (second !== undefined && topic.length > 0) throw unknownSubcommand(first, second, topic)
  throw new KkError('KK_USAGE', `kk has no command ${JSON.stringify(first)}`, {
    hint: equivalentHint(argv) ?? commandHint(first, ids),
  })
}

/**
 * Throws `KK_USAGE` for an argument of a command that takes none: oclif would read it as a part of the
 * command.
 */
function expectNoArguments(id: string, words: readonly string[], {args, strict}: CommandReference): void {
  const name = id.replaceAll(':', ' ')
  const word = words[id.split(':').length]
  if (word === undefined || !strict || Object.keys(args).length > 0) return
  throw new KkError('KK_USAGE', `kk ${name} takes no ${JSON.stringify(word)}`, {
    hint: `see kk ${name} --help`,
  })
}

function commandHint(word: string, ids: readonly string[]): string {
  const close = suggest(word, new Set(ids.map(topicOf)))
  if (close !== undefined) return `did you mean kk ${close}?`
  const search = /^[a-z]{1,20}$/.test(word) ? `, or search the pages with kk docs ${word}` : ''
  return `list all commands with kk --help${search}`
}

/** Returns the hint for a verb of another tool, with the user's file and releases; else undefined. */
function equivalentHint([verb = '', ...rest]: readonly string[]): string | undefined {
  if (!Object.hasOwn(EQUIVALENTS, verb)) return undefined
  const templates = EQUIVALENTS[verb]!
  const {files, releases} = namedBefore(rest)
  const isFitting = (template: string) => template.includes('RELEASE') === releases.length > 0
  const isAlone = files.length + releases.length === 0
  const template = (isAlone ? undefined : templates.find(isFitting)) ?? templates[0]!
  const command = template
    .replace(/ FILE/, files.map((file) => ` ${file}`).join(''))
    .replace(/ RELEASE(\.\.\.)?/, (word, isOptional) =>
      releases.length > 0 ? ` ${releases.join(' ')}` : isOptional ? '' : word,
    )
  return `did you mean ${command}?`
}

/**
 * Returns the environment file and the releases of a command line, without the words after another flag than
 * that of the file: they may be secret.
 */
function namedBefore(words: readonly string[]): {
  readonly files: readonly string[]
  readonly releases: readonly string[]
} {
  const flag = words.findIndex((word) => word.startsWith('-') && !FILE_FLAGS.has(word))
  const named = words.slice(0, flag === -1 ? words.length : flag).filter((word) => !FILE_FLAGS.has(word))
  return {
    files: named.filter((word) => /^[\w./@%+:~-]+\.ya?ml$/.test(word)).slice(0, 1),
    releases: named.filter((word) => /^[a-z0-9][-a-z0-9]*$/.test(word)),
  }
}

const FILE_FLAGS: ReadonlySet<string> = new Set(['-e', '-f', '--environment', '--file', '--filename'])

function topicOf(id: string): string {
  return id.split(':')[0]!
}

/**
 * Returns the error for an unknown command of a topic; compares without the topic, which all its commands
 * share.
 */
function unknownSubcommand(topic: string, word: string, ids: readonly string[]): KkError {
  const words = ids.map((id) => id.slice(topic.length + 1).replaceAll(':', ' '))
  const close = suggest(word, words)
  const hint =
    close === undefined ? `kk ${topic} has: ${words.join(', ')}` : `did you mean kk ${topic} ${close}?`
  return new KkError('KK_USAGE', `kk has no command "${topic} ${word}"`, {hint})
}

/** Adds a suggestion for an unknown flag; otherwise refers to the help of the command. */
export function withFlagSuggestion(
  error: Error,
  argv: readonly string[],
  {commands}: Commands,
  make: (hint: string) => KkError,
): KkError {
  const id = commandOf(leadingWords(argv), {commands})
  const help = `see kk ${id === undefined ? '' : `${id.replaceAll(':', ' ')} `}--help`
  const flags = 'flags' in error && Array.isArray(error.flags) ? (error.flags as string[]) : []
  const names = id === undefined ? [] : Object.keys(commands[id]!.flags)
  for (const flag of flags) {
    const close = suggest(flag.replace(/^--?/, '').replace(/=.*$/, ''), names)
    if (close !== undefined) return make(`did you mean --${close}? ${help}`)
  }
  return make(help)
}

/** Returns the ID of the longest command that the words begin with; undefined if there is none. */
export function commandOf(words: readonly string[], {commands}: Commands): string | undefined {
  for (let length = words.length; length > 0; length--) {
    const id = words.slice(0, length).join(':')
    if (id in commands) return id
  }
  return undefined
}

function leadingWords(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((argument) => argument.startsWith('-'))
  return argv.slice(0, end === -1 ? Math.min(argv.length, 4) : Math.min(end, 4))
}
