import {Flags} from '@oclif/core'
import {KkCommand} from '../cli/command.ts'
import {documentFlags} from '../cli/flags.ts'
import {VERSION} from '../cli/version.ts'
import {readAsset, readBuild} from '../state/assets.ts'

export default class Version extends KkCommand {
  static override summary = 'Show the version, commit, Node version, platform and package format of kk.'
  static override description =
    'Include this output in bug reports. The commit is the one that the executable was built from; modified indicates uncommitted changes. The package format is a tarball, a deb, an image, a plain executable, or the sources. If kk runs from its sources, no commit is shown: use git.'
  static override examples = ['kk version', 'kk version --output json', 'kk version --licenses']
  static override flags = {
    licenses: Flags.boolean({
      summary: 'Print the license notices of all components of kk instead.',
      exclusive: ['output'],
    }),
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {flags} = await this.parse(Version)
    if (flags.licenses) {
      this.console.print((await readAsset('licenses.txt')).toString())
      return
    }
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
