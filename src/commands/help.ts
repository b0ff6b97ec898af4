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
  static override summary = 'Tell what a word of kk means, or how a command is used.'
  static override description =
    'Words such as environment, layer, gate, owner or plan are explained as the page of concepts does. Without a word, lists all commands and words.'
  static override examples = ['kk help gate', 'kk help charts publish']
  static override args = {words: argument({description: 'A word, or a command.', multiple: true})}

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
      this.console.document('text', titles, () => `Words that kk help explains, too: ${titles.join('; ')}.`)
  }
}

/** Throws `KK_USAGE` for what is no command, with the word among `titles` that it is most like. */
function expectCommand(words: readonly string[], titles: readonly string[], table: CommandTable): void {
  const close = suggest(words.join(' '), titles)
  if (close === undefined) {
    checkCommand(words, table)
    return
  }
  throw new KkError('KK_USAGE', `kk has neither a command nor a word ${JSON.stringify(words.join(' '))}`, {
    hint: `did you mean kk help ${close.toLowerCase()}?`,
  })
}
