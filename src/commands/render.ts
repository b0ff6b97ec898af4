import {Flags} from '@oclif/core'
import {KkCommand} from '../cli/command.ts'
import {releasesArgument, renderFlags} from '../cli/flags.ts'
import {namesCluster, openChosenCluster, openUsersHelm} from '../cli/open/cluster.ts'
import {openValues} from '../cli/open/open.ts'
import {openSecrets} from '../cli/open/secrets.ts'
import {showSecretsFlag} from '../cli/overrides/flags.ts'
import {releaseName} from '../release.ts'
import {documentText} from '../report/document.ts'
import {type OwnedFile, writeOutputFiles} from '../state/files/owned-files.ts'
import {type RenderedRelease, renderReleases} from '../verbs/render.ts'

/** The file that names the files of earlier renders in a directory. */
const MARKER = '.kk-rendered'

export default class Render extends KkCommand {
  static override summary = 'Print the manifests that helm would apply for releases.'
  static override description =
    'Runs helm template with the values that kk passes to helm, including hooks and without the objects of helm test. Without RELEASE, renders all releases. Secrets are masked; use --show-secrets to get what helm gets. Needs no cluster; if one is named, charts read its version, kinds and objects, and the secrets that it stores. With --output json, several objects are one list.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    'kk render environments/all-in-one.yaml keystone',
    'kk render environments/all-in-one.yaml keystone --output json',
    'One file per release.\nkk render environments/all-in-one.yaml --output-dir rendered',
  ]
  static override args = releasesArgument
  static override flags = {
    ...renderFlags,
    ...showSecretsFlag,
    'output-dir': Flags.string({
      summary: 'Write one file per release to this directory, and print the directory instead.',
      helpValue: 'DIR',
    }),
    output: Flags.option({
      char: 'o',
      summary: 'The output format.',
      options: ['yaml', 'json'] as const,
      default: 'yaml',
    })(),
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Render)
    const {prepared, releases: names} = await openValues(flags, argv as string[], this.console.say)
    await using cluster = namesCluster(flags)
      ? await openChosenCluster(flags, prepared.environment)
      : undefined
    const supplied = await openSecrets(prepared, flags, cluster)
    const rendered = await renderReleases(supplied, {
      ...{names, cluster, helm: await openUsersHelm(flags, cluster)},
      showSecrets: flags['show-secrets'],
    })
    const {output, 'output-dir': directory} = flags
    if (directory === undefined) {
      this.console.print(output === 'json' ? listText(rendered) : rendered.map(streamText).join(''))
      return
    }
    const mode = flags['show-secrets'] ? 0o600 : 0o644
    const files = rendered.map((each): [string, OwnedFile] => {
      const content = output === 'json' ? listText([each]) : streamText(each)
      return [`${releaseName(each.release)}.${output}`, {content, mode}]
    })
    await writeOutputFiles(directory, new Map(files), {marker: MARKER, partial: names.length > 0})
    this.console.print(directory)
  }
}

/** Returns the objects of a release as a YAML stream with helm's comments. */
function streamText({objects}: RenderedRelease): string {
  return objects.map(({object, file}) => `---\n# Source: ${file}\n${documentText(object, 'yaml')}`).join('')
}

/** Returns objects as the list that kubectl reads and prints. */
function listText(rendered: readonly RenderedRelease[]): string {
  const items = rendered.flatMap(({objects}) => objects.map(({object}) => object))
  return documentText({apiVersion: 'v1', kind: 'List', items}, 'json')
}
