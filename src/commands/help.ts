import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {Flags} from '@oclif/core'
import {Help as OclifHelp} from '@oclif/core/help'
import {KkError} from '../base/errors.ts'
import {suggest} from '../base/suggest.ts'
import {argument} from '../cli/argument.ts'
import {KkCommand} from '../cli/command.ts'
import type {CommandTable} from '../cli/reference.ts'
import {rootHelp} from '../cli/root-help.ts'
import {checkCommand, commandOf} from '../cli/suggestions.ts'
import {wrap} from '../report/text/view.ts'
import {findTopic, topicsOf, topicText} from '../report/topics.ts'
import {builtInFiles, CONCEPTS} from '../state/assets.ts'

export default class Help extends KkCommand {
  static override summary = 'Explain a term of kk, or how to use a command.'
  static override description =
    'Explains terms such as environment, layer, gate, owner or plan, as the concepts page does. Without an argument, lists the commands by task.'
  static override usage = '[TERM | COMMAND] [FLAGS]'
  static override examples = ['kk help gate', 'kk help charts publish', 'kk help --all']
  static override args = {words: argument({description: 'A term, or a command.', multiple: true})}
  static override flags = {
    all: Flags.boolean({summary: 'Also list internal commands and, without an argument, all terms.'}),
  }

  override async run(): Promise<void> {
    const {
      args: {words = []},
      flags: {all},
    } = await this.parse(Help)
    if (words.length === 0 && !all) {
      this.console.document('text', [], (palette) => rootHelp({all}, palette))
      return
    }
    const topics = topicsOf(await readFile(join(await builtInFiles(process.env), CONCEPTS), 'utf8'))
    const titles = topics.map(({title}) => title)
    if (words.length === 0) {
      const terms = wrap(`Terms that kk help explains: ${titles.join('; ')}.`, 80)
      this.console.document('text', titles, (palette) => [...rootHelp({all}, palette), '', ...terms])
      return
    }
    const topic = findTopic(topics, words.join(' '))
    const id = words.join(':')
    const isCommand = commandOf(words, this.table) !== undefined || this.config.findTopic(id) !== undefined
    if (topic) this.console.document('text', topic, (palette) => topicText(topic, palette))
    if (topic && !isCommand) return
    if (topic) this.console.print('\n')
    if (!isCommand) expectCommand(words, titles, this.table)
    const help = new OclifHelp(this.config, {all})
    const command = this.config.findCommand(id)
    // oclif's own search takes the word help for the flag.
    await (command ? help.showCommandHelp(command) : help.showHelp([...words]))
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
