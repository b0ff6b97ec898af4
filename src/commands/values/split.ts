import {Flags} from '@oclif/core'
import {KkError} from '../../base/errors.ts'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {environmentFlags, repeated} from '../../cli/flags.ts'
import {prepareLocal} from '../../cli/open/open.ts'
import {chooseEnvironmentFile} from '../../environment/choose.ts'
import {loadDocument} from '../../environment/load.ts'
import {buildEnvironment, type EnvironmentDocument} from '../../environment/read.ts'
import {settingWarnings} from '../../prepare/settings/expect-settings.ts'
import {splitFiles, writeSplit} from '../../verbs/split.ts'

export default class ValuesSplit extends KkCommand {
  static override summary = 'Split an environment into one values file per release.'
  static override description =
    `Each file contains the common global and the section of its release, for helm --values. Keys are sorted, and the output
is that of openstack-helm's values.py. Aliases between files are resolved; a list or a map that occurs twice in one file
is written once, with an anchor and an alias (&id001, *id001). If a key is duplicated, the last one is used, with a
warning; other commands refuse it. Files that the environment includes are merged first. If there are settings of kk (kk:),
keys and options that nothing reads are reported as warnings; the settings are written only with --merged. Without -o, the
files are written to a new temporary directory, whose path is printed.`
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
      summary: 'The environment file; the spelling of values.py.',
      helpValue: 'FILE',
      exclusive: ['environment'],
    }),
    'output-dir': Flags.string({char: 'o', summary: 'The directory to write to.', helpValue: 'DIR'}),
    release: repeated('NAME', 'Write only the file of this release; may be repeated.'),
    merged: Flags.boolean({
      summary: 'Print one environment file instead, merged with the files that it includes.',
      exclusive: ['output-dir', 'release', 'stdout'],
    }),
    stdout: Flags.boolean({
      summary: 'Print the files as one YAML stream instead.',
      exclusive: ['output-dir'],
    }),
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
    const warn = (message: string) => this.console.say(`warning: ${message}; the last one is used`)
    const document = await loadDocument({file, onDuplicate: warn})
    if (flags.merged) {
      this.console.print(document.source.text.replace(/\n$/, ''))
      return
    }
    const files = splitFiles(document, releases)
    for (const line of await settingLines(document)) this.console.say(line)
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

/**
 * Returns warnings about values that nothing reads. Files without kk's settings may be for other charts, and
 * errors of the graph are those of kk graph.
 */
async function settingLines(document: EnvironmentDocument): Promise<readonly string[]> {
  if (document.value['kk'] === undefined) return []
  try {
    return await settingWarnings(await prepareLocal(buildEnvironment(document)), {keys: true})
  } catch (error) {
    if (error instanceof KkError) return []
    throw error
  }
}
