import {Flags} from '@oclif/core'
import {KkCommand} from '../../cli/command.ts'
import {documentFlags} from '../../cli/flags.ts'
import {changeFlags} from '../../cli/run/flags.ts'
import {abortable} from '../../cli/signals.ts'
import {VERSION} from '../../cli/version.ts'
import {buildFailure} from '../../images/building/build-images.ts'
import {parseRegistry} from '../../images/registry/registry.ts'
import {imageDocument, imageEventText, imagePlanText} from '../../report/images/images-text.ts'
import {builtInFiles} from '../../state/assets.ts'
import {build, planImages} from '../../verbs/images/images.ts'

export default class ImagesBuild extends KkCommand {
  static override summary = 'Build the images of the charts from Debian packages, and push them.'
  static override description =
    'Skips the build of images whose inputs have not changed, and the push of images that the registry already has. Base images are built as needed. Requires root, buildah, crun and mmdebstrap, and access to Debian mirrors and PyPI. Log in to registries with buildah login; plain HTTP is used for a registry on the loopback address.'
  static override usage = '[NAME...] [FLAGS]'
  static override examples = [
    'kk images build --dry-run',
    'kk images build keystone --push 127.0.0.1:5000 --dry-run',
  ]
  static override strict = false
  static override flags = {
    push: Flags.string({summary: 'Push each image to this registry.', helpValue: 'REGISTRY'}),
    'plain-http': Flags.boolean({
      summary: 'Use plain HTTP for the registry, wherever it is.',
      dependsOn: ['push'],
    }),
    overlay: Flags.string({
      summary: "A directory whose files replace kk's own, such as keystone/Containerfile.",
      helpValue: 'DIR',
    }),
    refresh: Flags.boolean({
      summary: 'Rebuild all of them with the newest packages.',
      description:
        'Including images whose inputs have not changed: Debian updates its packages independently.',
    }),
    'dry-run': changeFlags['dry-run'],
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(ImagesBuild)
    const names = argv as string[]
    const {refresh, output} = flags
    const {push, overlay} = flags
    const registry = push === undefined ? undefined : parseRegistry(push, {plain: flags['plain-http']})
    const root = await builtInFiles(process.env)
    const base = {names, root, ...(overlay !== undefined && {overlay}), env: process.env}
    if (flags['dry-run']) {
      const images = await planImages(base)
      return this.console.document(output, {images: images.map((each) => imageDocument(each))}, () =>
        imagePlanText(images, refresh),
      )
    }
    const results = await abortable(
      'the build of images',
      (signal) =>
        build({
          ...base,
          version: VERSION,
          refresh,
          ...(registry && {registry}),
          signal,
          onEvent: (event) => this.console.say(imageEventText(event)),
          onWait: (pid, name) => this.console.say(`${name}: process ${pid} is building it; waiting`),
        }),
      'images that were built are kept; run the same command to continue',
    )
    this.console.document(output, {images: results.map((each) => imageDocument(each))}, () => '')
    const failure = buildFailure(results)
    if (failure) throw failure
  }
}
