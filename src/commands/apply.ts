import {Args} from '@oclif/core'
import {KkCommand} from '../cli/command.ts'
import {deployFlags} from '../cli/flags.ts'
import {apply} from '../cli/run/saved-plan.ts'

export default class Apply extends KkCommand {
  static override summary = 'Do exactly what a saved plan says, or refuse and name what moved since.'
  static override description =
    'Of a plan that "kk plan --save" wrote. The environment is read and planned anew and compared with the saved plan: the cluster, the record of every release, its chart, each layer of its values, its requirements, what is to be done, and in which order. If anything moved, nothing is changed, and kk exits 3. The environment file and those of --values are found where they were; --set is to be given again, for a saved plan holds no values. With --dry-run it is told whether the plan still fits.'
  static override usage = 'PLAN [FILE] [FLAGS]'
  static override examples = [
    '<%= config.bin %> apply plan.json --sandbox',
    {
      description: 'Does it still fit?',
      command: '<%= config.bin %> apply plan.json --sandbox --dry-run',
    },
    {
      description: 'With the environment file at another place.',
      command: '<%= config.bin %> apply plan.json environments/all-in-one.yaml --sandbox --yes',
    },
  ]
  static override strict = false
  static override args = {
    plan: Args.string({description: 'The saved plan; and the environment file, in any order.'}),
  }
  static override flags = deployFlags

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Apply)
    process.exitCode = await apply(flags, argv as string[], this.console)
  }
}
