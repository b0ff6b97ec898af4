import {Flags} from '@oclif/core'
import {KkCommand} from '../../cli/command.ts'
import {clusterFlags, environmentFlags, fileArgument, overrideFlags} from '../../cli/flags.ts'
import {adopt} from '../../cli/operator/adopt.ts'

export default class OperatorAdopt extends KkCommand {
  static override summary = 'Hand an environment file over to the operator.'
  static override description =
    "Writes the file to a ConfigMap of kk-system, or to where the Environment of its name has it, and the deployer's overrides to a Secret, with an Environment that is suspended: nothing is changed before kk operator resume. A cloud that was deployed with the same inputs stays as it is then. Run it again when the file has changed: it suspends the Environment until that is resumed."
  static override examples = ['kk operator adopt environments/all-in-one.yaml --sandbox']
  static override args = fileArgument
  static override flags = {
    ...environmentFlags,
    ...clusterFlags,
    store: overrideFlags.store,
    secret: Flags.boolean({summary: 'Keep the file in a Secret: for one that has passwords in it.'}),
  }

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(OperatorAdopt)
    await adopt(flags, args.file === undefined ? [] : [args.file], this.console.say)
  }
}
