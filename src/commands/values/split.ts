import {Flags} from '@oclif/core'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {environmentFlags, repeated} from '../../cli/flags.ts'
import {chooseEnvironmentFile} from '../../environment/choose.ts'
import {loadSource} from '../../environment/load.ts'
import {splitFiles, writeSplit} from '../../verbs/split.ts'

export default class ValuesSplit extends KkCommand {
  static override summary = 'Split an environment into one values file per release.'
  static override description =
    `Each file holds the common global and the section of its release: what helm --values takes. Keys are sorted, and the
result is what openstack-helm's values.py wrote. Aliases are resolved from one file to another; a list or a map that is in
one file twice is written once, with an anchor and an alias (&id001, *id001). Of a key that comes twice the last one
counts, with a warning; other commands refuse it. Without -o the files go into a fresh directory under the temp folder; its
path is printed. kk's own settings (kk:) go into no file.`
  static override usage = '[FILE] [FLAGS]'
  static override examples = [
    'kk values split environments/all-in-one.yaml',
    'kk values split environments/all-in-one.yaml -o values --release keystone --release glance',
    'kk values split environments/all-in-one.yaml --stdout',
  ]
  static override args = {file: argument({description: 'The environment file; - reads standard input.'})}
  static override flags = {
    ...environmentFlags,
    yaml: Flags.string({
      char: 'y',
      summary: 'The environment file, as values.py took it.',
      helpValue: 'FILE',
      exclusive: ['environment'],
    }),
    'output-dir': Flags.string({char: 'o', summary: 'The directory to write to.', helpValue: 'DIR'}),
    release: repeated('NAME', 'Only the file of this release; may be repeated.'),
    stdout: Flags.boolean({summary: 'Print the files as one stream instead.', exclusive: ['output-dir']}),
  }

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(ValuesSplit)
    const flag = flags.yaml ?? flags.environment
    const file = await chooseEnvironmentFile({
      argument: args.file,
      flag,
      env: process.env,
      cwd: process.cwd(),
    })
    const releases = flags.release ?? []
    const warn = (message: string) => this.console.say(`warning: ${message}; the last one counts`)
    const files = splitFiles(await loadSource({file}), {releases, warn})
    if (flags.stdout) {
      for (const [name, text] of files) this.console.print(`---\n# Source: ${name}.yaml\n${text}`)
      return
    }
    const {directory, paths} = await writeSplit(files, {
      directory: flags['output-dir'],
      partial: releases.length > 0,
    })
    for (const path of paths) this.console.say(`Writing out ${path}`)
    this.console.print(directory)
  }
}
