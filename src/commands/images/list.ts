import {KkCommand} from '../../cli/command.ts'
import {documentFlags} from '../../cli/flags.ts'
import {imageDocument, imagesText} from '../../report/images/images-text.ts'
import {builtInFiles} from '../../state/assets.ts'
import {imagesCache, listImages} from '../../verbs/images/images.ts'

export default class ImagesList extends KkCommand {
  static override summary = 'List the images of the charts, and which of them this machine has.'
  static override description =
    'An image is outdated when something that decides it has changed since it was built. As JSON also with the digests that were pushed and the file that lists its packages.'
  static override usage = '[NAME...] [FLAGS]'
  static override examples = [
    '<%= config.bin %> images list',
    '<%= config.bin %> images list keystone --output json',
  ]
  static override strict = false
  static override flags = documentFlags

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(ImagesList)
    const images = await listImages(argv as string[], await builtInFiles(process.env), process.env)
    const cache = imagesCache(process.env)
    this.console.document(
      flags.output,
      {images: images.map((each) => imageDocument(each, cache))},
      (palette) => imagesText(images, palette),
    )
  }
}
