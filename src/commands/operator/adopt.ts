import {Flags} from '@oclif/core'
import {KkCommand} from '../../cli/command.ts'
import {clusterFlags, environmentFlags, fileArgument, overrideFlags} from '../../cli/flags.ts'
import {adopt} from '../../cli/operator/adopt.ts'

export default class OperatorAdopt extends KkCommand {
  static override summary = 'Hand an environment over to the operator.'
  static override description =
    "Writes the file to a ConfigMap in kk-system, or to the object that its Environment references, writes the deployer's overrides to a Secret, and creates a suspended Environment: nothing changes until kk operator resume. A cloud that was deployed with the same inputs then stays unchanged. Run it again after changing the file: the Environment is suspended until it is resumed."
  static override examples = ['kk operator adopt environments/all-in-one.yaml --sandbox']
  static override args = fileArgument
  static override flags = {
    ...environmentFlags,
    ...clusterFlags,
    store: overrideFlags.store,
    secret: Flags.boolean({summary: 'Store the file in a Secret, if it contains passwords.'}),
  }

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(OperatorAdopt)
    await adopt(flags, args.file === undefined ? [] : [args.file], this.console.say)
  }
}
