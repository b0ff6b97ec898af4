import {KkCommand} from '../../cli/command.ts'
import {canAsk, confirm} from '../../cli/console.ts'
import {documentFlags} from '../../cli/flags.ts'
import {changeFlags} from '../../cli/run/flags.ts'
import {abortable} from '../../cli/signals.ts'
import {pruneDocument, pruneText} from '../../report/images/prune-text.ts'
import {builtInFiles} from '../../state/assets.ts'
import {planPrune, prune} from '../../verbs/images/prune.ts'

export default class ImagesPrune extends KkCommand {
  static override summary = 'Remove build artifacts that image builds no longer need from this machine.'
  static override description =
    'Removes images that kk no longer builds or that a newer build replaced, their build layers, and their files in the cache. Current images, the layers that the next build reuses, and everything that kk has not built are kept. Pushed images stay in their registry.'
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
      'run the same command to remove the rest',
    )
  }
}
