import {Args, Flags} from '@oclif/core'
import {KkCommand} from '../cli/command.ts'
import {clusterFlags, type FlagValues} from '../cli/flags.ts'
import {openChosenCluster} from '../cli/open/cluster.ts'
import {helmfileText} from '../exchange/helmfile/helmfile-text.ts'
import {importHelmfile} from '../exchange/helmfile/read.ts'
import type {Imported} from '../exchange/imported.ts'
import {environmentText} from '../report/import/environment-text.ts'
import {writeNamedFile} from '../state/files/write-named-file.ts'
import {importReleases} from '../verbs/import-releases.ts'

export default class Import extends KkCommand {
  static override summary = 'Write an environment file from what plain helm installed, or from a helmfile.'
  static override description =
    'Without a helmfile, reads the releases on the cluster that kk did not install: values from their records, requirements from their manifests. With one, its releases: needs become stated requirements. What could not be known stands in comments, and on standard error. Changes nothing: kk adopt then takes the releases over. Secrets are left out unless --show-secrets is given.'
  static override usage = '[HELMFILE] [FLAGS]'
  static override examples = [
    '<%= config.bin %> import --namespace openstack --charts ../openstack-helm --file cloud.yaml',
    '<%= config.bin %> import helmfile.yaml --file cloud.yaml',
  ]
  static override args = {helmfile: Args.string({description: 'A helmfile, instead of a cluster.'})}
  static override flags = {
    name: Flags.string({summary: 'The name of the environment.', helpValue: 'NAME', default: 'imported'}),
    namespace: Flags.string({
      summary: 'Only releases of this namespace.',
      helpValue: 'NAMESPACE',
      helpGroup: 'CLUSTER',
    }),
    charts: Flags.string({
      summary: 'A source of charts for kk.charts; may be repeated.',
      helpValue: 'SOURCE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    file: Flags.string({
      summary: 'Write the environment file here; - is standard output.',
      helpValue: 'FILE',
      default: '-',
    }),
    'show-secrets': Flags.boolean({summary: 'Write secrets of the records, or of the helmfile, too.'}),
    ...clusterFlags,
  }

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(Import)
    const imported =
      args.helmfile === undefined ? await this.fromCluster(flags) : await fromHelmfile(args.helmfile, flags)
    await writeNamedFile(flags.file, environmentText(imported))
    for (const each of imported.lost) this.console.say(`not carried over: ${each}`)
  }

  private async fromCluster(flags: ImportFlags): Promise<Imported> {
    await using cluster = await openChosenCluster(flags, undefined)
    const {name, namespace, charts = []} = flags
    return await importReleases({cluster, name, namespace, charts, showSecrets: flags['show-secrets']})
  }
}

type ImportFlags = FlagValues<typeof Import.flags>

async function fromHelmfile(file: string, {name, ...flags}: ImportFlags): Promise<Imported> {
  const showSecrets = flags['show-secrets']
  return importHelmfile({file, name, showSecrets, ...(await helmfileText(file, process.env))})
}
