import {Args, Flags} from '@oclif/core'
import {KkCommand} from '../cli/command.ts'
import {
  changeFlags,
  clusterFlags,
  environmentFlags,
  helmFlags,
  ownerFlags,
  reportFlags,
  streamFlags,
} from '../cli/flags.ts'
import {rollBack} from '../cli/run/rollback.ts'

export default class Rollback extends KkCommand {
  static override summary = 'Return to what was deployed before a run, dependents first.'
  static override description =
    'Each release that the run touched goes back to the last revision whose gate had passed before, by a real helm rollback, with its configuration. Without a run, the last one of the environment that was not itself a rollback. What a run installed stays. Databases do not go back: across a migration it is refused without --keep-schema.'
  static override examples = [
    '<%= config.bin %> rollback environments/all-in-one.yaml --sandbox',
    {
      description: 'A run of any environment; kk history shows their ids.',
      command: '<%= config.bin %> rollback 20261121-083000-3f9a --sandbox',
    },
    '<%= config.bin %> rollback --release keystone --revision 3 --sandbox',
  ]
  static override strict = false
  static override args = {
    run: Args.string({description: 'The run to undo, and the environment file, in any order.'}),
  }
  static override flags = {
    ...environmentFlags,
    ...ownerFlags,
    release: Flags.string({
      summary: 'One release instead of a run.',
      helpValue: 'RELEASE',
      dependsOn: ['revision'],
    }),
    revision: Flags.integer({
      summary: 'The revision that it returns to.',
      helpValue: 'N',
      min: 1,
      dependsOn: ['release'],
    }),
    'keep-schema': Flags.boolean({
      summary: 'Go back across a migration: the services return, the newer schema stays.',
    }),
    ...changeFlags,
    ...reportFlags,
    ...streamFlags,
    ...clusterFlags,
    ...helmFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Rollback)
    process.exitCode = await rollBack(flags, argv as string[], this.console)
  }
}
