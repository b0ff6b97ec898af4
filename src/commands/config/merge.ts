import {Flags} from '@oclif/core'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {chartsIn, configFlags, writeValues} from '../../cli/config.ts'
import {mergeText, nextText} from '../../report/config/config-text.ts'
import {mergeConfig} from '../../verbs/config/merge-config.ts'

export default class ConfigMerge extends KkCommand {
  static override summary =
    "Merge configuration files in kolla's layout over the configuration that the charts generate."
  static override description =
    "Reads kolla's node_custom_config (/etc/kolla/config). For each file of a service, in order of increasing precedence: global.conf, database.conf, messaging.conf, SERVICE.conf, SERVICE/FILE, and with --host SERVICE/HOST/FILE. Writes two values files for each release, the second with the secrets; changes nothing else."
  static override examples = [
    'kk config merge /etc/kolla/config --output-dir merged',
    'kk config merge /etc/kolla/config --host controller01 --dry-run',
  ]
  static override args = {directory: argument({description: "Kolla's node_custom_config.", required: true})}
  static override flags = {
    host: Flags.string({
      summary: 'Also read the files of this host. A chart has the same configuration for all pods.',
      helpValue: 'NAME',
    }),
    ...configFlags,
  }

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(ConfigMerge)
    const {host, 'dry-run': dryRun = false, 'output-dir': directory} = flags
    const charts = await chartsIn(flags.charts)
    const {releases, ...merged} = await mergeConfig(args.directory, {charts, host})
    const written = dryRun ? [] : await writeValues(releases, {directory, from: args.directory})
    this.console.document(flags.output, {dryRun, ...merged, values: written}, () =>
      mergeText(merged, written),
    )
    if (flags.output === 'text') this.console.say(nextText(written))
  }
}
