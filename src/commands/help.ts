import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {Help as OclifHelp} from '@oclif/core/help'
import {KkError} from '../base/errors.ts'
import {suggest} from '../base/suggest.ts'
import {argument} from '../cli/argument.ts'
import {KkCommand} from '../cli/command.ts'
import type {CommandTable} from '../cli/reference.ts'
import {checkCommand, commandOf} from '../cli/suggestions.ts'
import {findTopic, topicsOf, topicText} from '../report/topics.ts'
import {builtInFiles, CONCEPTS} from '../state/assets.ts'

export default class Help extends KkCommand {
  static override summary = 'Explain a term of kk, or how to use a command.'
  static override description =
    'Explains terms such as environment, layer, gate, owner or plan, as the concepts page does. Without an argument, lists all commands and terms.'
  static override examples = ['kk help gate', 'kk help charts publish']
  static override args = {words: argument({description: 'A term, or a command.', multiple: true})}

  override async run(): Promise<void> {
    const {args} = await this.parse(Help)
    const words = args.words ?? []
    const topics = topicsOf(await readFile(join(await builtInFiles(process.env), CONCEPTS), 'utf8'))
    const topic = words.length === 0 ? undefined : findTopic(topics, words.join(' '))
    const id = words.join(':')
    const isCommand = commandOf(words, this.table) !== undefined || this.config.findTopic(id) !== undefined
    if (topic) this.console.document('text', topic, (palette) => topicText(topic, palette))
    if (topic && !isCommand) return
    if (topic) this.console.print('\n')
    const titles = topics.map(({title}) => title)
    if (!isCommand) expectCommand(words, titles, this.table)
    await new OclifHelp(this.config).showHelp([...words])
    if (words.length === 0)
      this.console.document('text', titles, () => `Terms that kk help explains: ${titles.join('; ')}.`)
  }
}

/** Throws `KK_USAGE` for words that are no command; the hint suggests the closest of `titles`. */
function expectCommand(words: readonly string[], titles: readonly string[], table: CommandTable): void {
  const close = suggest(words.join(' '), titles)
  if (close === undefined) {
    checkCommand(words, table)
    return
  }
  throw new KkError('KK_USAGE', `kk has neither a command nor a term ${JSON.stringify(words.join(' '))}`, {
    hint: `did you mean kk help ${close.toLowerCase()}?`,
  })
}
