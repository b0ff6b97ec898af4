import {readLock} from '../../charts/lock-file.ts'
import {KkCommand} from '../../cli/command.ts'
import {documentFlags, type FlagValues, renderFlags} from '../../cli/flags.ts'
import {namesCluster, openChosenCluster, openUsersHelm} from '../../cli/open/cluster.ts'
import {openEnvironment, prepareTolerantly} from '../../cli/open/open.ts'
import {splitArguments} from '../../environment/choose.ts'
import {namedReleases} from '../../prepare/prepare.ts'
import {imageDocument, imagesText, neededImagesText} from '../../report/images/images-text.ts'
import {builtInFiles} from '../../state/assets.ts'
import {imagesCache, listImages} from '../../verbs/images/images.ts'
import {neededImages} from '../../verbs/images/needed-images.ts'

type NeededFlags = FlagValues<typeof ImagesList.flags>

export default class ImagesList extends KkCommand {
  static override summary =
    'List the images of the charts and which of them this machine has, or the images that an environment needs.'
  static override description =
    'An image is outdated if one of its inputs has changed since it was built. JSON output includes the pushed digests and the file that lists its packages. With an environment file, as an argument or with -e: lists every image of the rendered pods, including hooks and tests, with the releases that need it and the digest in kk.lock; arguments are then release names. Needs no cluster; if one is named, its facts are used.'
  static override usage = '[FILE] [NAME...] [FLAGS]'
  static override examples = [
    'kk images list',
    'kk images list keystone --output json',
    'The images that a site without internet access needs.\nkk images list environments/all-in-one.yaml',
  ]
  static override strict = false
  static override flags = {...renderFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(ImagesList)
    const words = argv as string[]
    const isOfEnvironment = flags.environment !== undefined || splitArguments(words).file !== undefined
    if (isOfEnvironment) return await this.#needed(words, flags)
    const images = await listImages(words, await builtInFiles(process.env), process.env)
    const cache = imagesCache(process.env)
    this.console.document(
      flags.output,
      {images: images.map((each) => imageDocument(each, cache))},
      (palette) => imagesText(images, palette),
    )
  }

  /** Prints the images of an environment, or of some of its releases. */
  async #needed(words: readonly string[], flags: NeededFlags): Promise<void> {
    const {environment, releases} = await openEnvironment(flags, words)
    await using cluster = namesCluster(flags) ? await openChosenCluster(flags, environment) : undefined
    const prepared = await prepareTolerantly(environment, flags, cluster)
    const wanted = new Set(namedReleases(prepared, releases))
    const digests = (await readLock(environment))?.images ?? {}
    const all = await neededImages(prepared, await openUsersHelm(flags))
    const images = all
      .filter(({releases}) => wanted.size === 0 || releases.some((release) => wanted.has(release)))
      .map((each) => ({...each, digest: digests[each.image] ?? null}))
    this.console.document(flags.output, {environment: environment.name, images}, () =>
      neededImagesText(images),
    )
  }
}
