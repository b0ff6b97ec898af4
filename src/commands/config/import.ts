import {Flags} from '@oclif/core'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {chartsIn, configFlags, writeValues} from '../../cli/config.ts'
import {kollaPasswordTexts} from '../../exchange/kolla/passwords.ts'
import {importText, nextText} from '../../report/config/config-text.ts'
import {readNamedFile} from '../../state/files/named-file.ts'
import {importConfig} from '../../verbs/config/import-config.ts'

export default class ConfigImport extends KkCommand {
  static override summary = 'Convert configuration that kolla-ansible generated into values of the charts.'
  static override description =
    'The directory contains the files of one container (/etc/kolla/keystone), or the directories of several. The charts then mount these files unchanged instead of generating their own, with the command, files, owners and modes of config.json. A file that contains a secret goes into a Secret, the others into a ConfigMap. Writes two values files for each release, the second with the secrets; changes nothing else.'
  static override examples = [
    'kk config import /etc/kolla/keystone --output-dir imported',
    'All services that kk has charts for; passwords are recognized wherever they occur.\nkk config import /etc/kolla --passwords /etc/kolla/passwords.yml --output-dir imported',
  ]
  static override args = {
    directory: argument({description: 'The output directory of kolla-ansible genconfig.', required: true}),
  }
  static override flags = {
    passwords: Flags.string({
      summary: "Kolla's passwords.yml: a file that contains one of these passwords is secret.",
      helpValue: 'FILE',
    }),
    ...configFlags,
  }

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(ConfigImport)
    const {passwords: file, 'dry-run': dryRun = false, 'output-dir': directory} = flags
    const passwords = file === undefined ? [] : kollaPasswordTexts(await readNamedFile(file), file)
    const {releases, ...imported} = await importConfig(args.directory, {
      charts: await chartsIn(flags.charts),
      passwords,
    })
    const written = dryRun ? [] : await writeValues(releases, {directory, from: args.directory})
    this.console.document(flags.output, {dryRun, ...imported, values: written}, () =>
      importText(imported, written),
    )
    if (flags.output === 'text') this.console.say(nextText(written))
  }
}
