import {KkCommand} from '../cli/command.ts'
import {documentFlags} from '../cli/flags.ts'
import {VERSION} from '../cli/version.ts'
import {readBuild} from '../state/assets.ts'

export default class Version extends KkCommand {
  static override summary = 'Tell which kk this is: version, commit, Node, platform, and what it came in.'
  static override description =
    'What a report of a fault should name. The commit is the one that the executable was built from; modified says that its sources had changes beside it. What it came in is a tarball, a deb, an image, the executable alone, or the sources. kk that runs from its sources names none, for git tells it.'
  static override examples = ['kk version', 'kk version --output json']
  static override flags = documentFlags

  override async run(): Promise<void> {
    const {flags} = await this.parse(Version)
    const {commit, modified, form} = await readBuild()
    const platform = `${process.platform}-${process.arch}`
    const version = {version: VERSION, commit, modified, node: process.versions.node, platform, form}
    this.console.document(flags.output, version, () =>
      [
        `kk ${VERSION}`,
        commit === null ? undefined : `commit ${commit}${modified ? ', modified' : ''}`,
        `Node ${process.versions.node}`,
        platform,
        form,
      ]
        .filter((part) => part !== undefined)
        .join('; '),
    )
  }
}
