import {KkCommand} from '../../cli/command.ts'
import {canAsk, confirm} from '../../cli/console.ts'
import {documentFlags} from '../../cli/flags.ts'
import {changeFlags} from '../../cli/run/flags.ts'
import {abortable} from '../../cli/signals.ts'
import {pruneDocument, pruneText} from '../../report/images/prune-text.ts'
import {builtInFiles} from '../../state/assets.ts'
import {planPrune, prune} from '../../verbs/images/prune.ts'

export default class ImagesPrune extends KkCommand {
  static override summary = 'Remove from this machine what no build of images needs any more.'
  static override description =
    'Images that kk builds no more or that a newer build replaced, the layers of their builds, and their files in the cache. What is built now stays, with the layers from which the next build goes on, and so does all that kk has not built. What was pushed stays in its registry.'
  static override usage = '[FLAGS]'
  static override examples = ['kk images prune --dry-run', 'kk images prune --yes']
  static override flags = {yes: changeFlags.yes, 'dry-run': changeFlags['dry-run'], ...documentFlags}

  override async run(): Promise<void> {
    const {flags} = await this.parse(ImagesPrune)
    const {output} = flags
    const root = await builtInFiles(process.env)
    await abortable(
      'the removal of images',
      async (signal) => {
        const options = {root, env: process.env, signal}
        if (flags['dry-run'] || (!flags.yes && canAsk())) {
          const planned = await planPrune(options)
          if (flags['dry-run'])
            return this.console.document(output, pruneDocument(planned), () => pruneText(planned))
          this.console.say(pruneText(planned))
          if (planned.images.length + planned.files.length === 0) return
          await confirm('remove all of it?')
        }
        const onRemoved = (what: string) => this.console.say(`removed ${what}`)
        const removed = await prune({...options, onRemoved})
        this.console.document(output, pruneDocument(removed), () => '')
      },
      'what is left goes with the same command',
    )
  }
}
