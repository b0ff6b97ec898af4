import {Flags} from '@oclif/core'
import {KkCommand} from '../../cli/command.ts'
import {parseRegistry} from '../../images/registry/registry.ts'
import {documentText} from '../../report/document.ts'
import {builtInFiles} from '../../state/assets.ts'
import {imageValues, listImages} from '../../verbs/images/images.ts'

export default class ImagesValues extends KkCommand {
  static override summary = 'Print the values with which an environment uses the images of a registry.'
  static override description =
    'Prints keys to merge into the environment file. Images that this machine pushed to the registry are referenced by digest, the others by tag.'
  static override usage = '[NAME...] --registry REGISTRY'
  static override examples = [
    'kk images values --registry 127.0.0.1:5000',
    'kk images values keystone glance-api --registry registry.example.org/cloud',
  ]
  static override strict = false
  static override flags = {
    registry: Flags.string({
      summary: 'The registry that has the images, by the name that the nodes use.',
      helpValue: 'REGISTRY',
      required: true,
    }),
    'pushed-to': Flags.string({
      summary: 'The name that this machine uses for the same registry, if it differs.',
      helpValue: 'REGISTRY',
    }),
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(ImagesValues)
    const registry = parseRegistry(flags.registry)
    const pushedTo = parseRegistry(flags['pushed-to'] ?? flags.registry)
    const images = await listImages(argv as string[], await builtInFiles(process.env), process.env)
    this.console.print(documentText(imageValues(images, registry, pushedTo), 'yaml'))
  }
}
