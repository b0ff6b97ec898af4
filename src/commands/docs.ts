import {KkError} from '../base/errors.ts'
import {suggest} from '../base/suggest.ts'
import {argument} from '../cli/argument.ts'
import {KkCommand} from '../cli/command.ts'
import {documentFlags} from '../cli/flags.ts'
import {foundText, pagesText, pageText} from '../report/docs-text.ts'
import {readPages} from '../state/pages.ts'
import {docsPages, searchDocs} from '../verbs/docs.ts'

export default class Docs extends KkCommand {
  static override summary = 'List, print and search the pages of the documentation of this version.'
  static override description =
    'Without an argument, lists the pages. Prints the page of this name; otherwise lists the sections that contain all words. For the terms of kk, see kk help.'
  static override usage = '[PAGE | WORD...] [FLAGS]'
  static override examples = ['kk docs', 'kk docs tls', 'kk docs registry login']
  static override args = {words: argument({description: 'A page, or words to search.', multiple: true})}
  static override flags = documentFlags

  override async run(): Promise<void> {
    const {
      args: {words = []},
      flags: {output},
    } = await this.parse(Docs)
    const pages = docsPages(await readPages())
    // The others are those of commands, which kk help lists.
    const listed = pages.filter(({about}) => about !== '')
    if (words.length === 0) {
      const lines = listed.map(({text: _, ...page}) => page)
      this.console.document(output, {pages: lines}, (palette) => pagesText(listed, palette))
      return
    }
    const [first = ''] = words
    const isNamed = ({name, title}: {readonly name: string; readonly title: string}) =>
      words.length === 1 && [name, title.toLowerCase()].includes(first.replace(/\.md$/, '').toLowerCase())
    const page = pages.find(isNamed)
    if (page) {
      this.console.document(output, page, (palette) => pageText(page, palette))
      return
    }
    const found = searchDocs(pages, words)
    const close =
      words.length > 1
        ? undefined
        : suggest(
            first,
            pages.map(({name}) => name),
          )
    if (found.length === 0)
      throw new KkError('KK_USAGE', `no page is named or contains ${JSON.stringify(words.join(' '))}`, {
        hint: close === undefined ? 'list the pages with kk docs' : `did you mean kk docs ${close}?`,
      })
    if (close !== undefined)
      this.console.say(`no page is named ${JSON.stringify(first)}; did you mean kk docs ${close}?`)
    this.console.document(output, {words, found}, (palette) => foundText(found, palette))
  }
}
