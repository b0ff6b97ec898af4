import {Flags} from '@oclif/core'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {chartsIn, configFlags, writeValues} from '../../cli/config.ts'
import {kollaPasswordTexts} from '../../exchange/kolla/passwords.ts'
import {importText, nextText} from '../../report/config/config-text.ts'
import {readNamedFile} from '../../state/files/named-file.ts'
import {importConfig} from '../../verbs/config/import-config.ts'

export default class ConfigImport extends KkCommand {
  static override summary = 'Take the configuration that kolla-ansible generated, as values of the charts.'
  static override description =
    "The directory is that of one container (/etc/kolla/keystone), or one above several. The charts then mount these files as they are, instead of writing their own: config.json's command, files, owners and modes hold. A file with a secret in it goes into a Secret, the others into a ConfigMap. Writes two files of values for each release, of which the second holds the secrets; nothing else is changed."
  static override examples = [
    'kk config import /etc/kolla/keystone --output-dir imported',
    'Of all services that kk has charts for; the passwords are found wherever they stand.\nkk config import /etc/kolla --passwords /etc/kolla/passwords.yml --output-dir imported',
  ]
  static override args = {
    directory: argument({description: 'What kolla-ansible genconfig wrote.', required: true}),
  }
  static override flags = {
    passwords: Flags.string({
      summary: "Kolla's passwords.yml: a file that has one of them in it is secret.",
      helpValue: 'FILE',
    }),
    ...configFlags,
  }

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(ConfigImport)
    const {passwords: file, 'dry-run': dryRun = false, 'output-dir': directory} = flags
    const passwords = file === undefined ? [] : kollaPasswordTexts(await readNamedFile(file), file)
    const {releases, ...told} = await importConfig(args.directory, {
      charts: await chartsIn(flags.charts),
      passwords,
    })
    const written = dryRun ? [] : await writeValues(releases, {directory, from: args.directory})
    this.console.document(flags.output, {dryRun, ...told, values: written}, () => importText(told, written))
    if (flags.output === 'text') this.console.say(nextText(written))
  }
}
