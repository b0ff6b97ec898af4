import {Args} from '@oclif/core'
import {KkCommand} from '../cli/command.ts'
import {
  changeFlags,
  clusterFlags,
  environmentFlags,
  helmFlags,
  onFailureFlags,
  ownerFlags,
  reportFlags,
  streamFlags,
  valueFlags,
  versionFlags,
} from '../cli/flags.ts'
import {resume} from '../cli/run/resume.ts'

export default class Resume extends KkCommand {
  static override summary = 'Go on with a run that was interrupted, killed, or failed.'
  static override description =
    'The same verb and the same releases, planned anew by what the cluster says now: what was done is not done again. Works on any machine that has the environment file and its charts, by the record of the run in the cluster. Without a run, the last one of the environment, unless it succeeded: then there is nothing to resume, and an older one is gone on with only when it is named. Refused, with the names of the releases, when the inputs are not those of that run.'
  static override examples = [
    '<%= config.bin %> resume environments/all-in-one.yaml --sandbox',
    '<%= config.bin %> resume 20261121-083000-3f9a environments/all-in-one.yaml --sandbox',
  ]
  static override strict = false
  static override args = {
    run: Args.string({description: 'The run, and the environment file, in any order.'}),
  }
  static override flags = {
    ...environmentFlags,
    ...ownerFlags,
    ...valueFlags,
    ...changeFlags,
    ...versionFlags,
    ...onFailureFlags,
    ...reportFlags,
    ...streamFlags,
    ...clusterFlags,
    ...helmFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Resume)
    process.exitCode = await resume(flags, argv as string[], this.console)
  }
}
