import {KkCommand} from '../../cli/command.ts'
import {clusterFlags} from '../../cli/flags.ts'
import {nameArgument, onCluster} from '../../cli/operator/steer.ts'
import {operatorCommand} from '../../cli/run/same-again.ts'
import {resumeEnvironment} from '../../operator/client/environment-commands.ts'

export default class OperatorResume extends KkCommand {
  static override summary = 'Hand an environment to the operator that was paused or adopted.'
  static override description =
    'The operator brings the environment to what the objects in kk-system say, which may be older than what was deployed meanwhile. What is already as they say stays as it is.'
  static override examples = ['kk operator resume production']
  static override args = nameArgument
  static override flags = clusterFlags

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(OperatorResume)
    await onCluster(flags, (cluster) => resumeEnvironment(cluster, args.name))
    this.console.say(
      `the operator drives ${args.name}; to see how far it is: ${operatorCommand(`status ${args.name}`, flags)}`,
    )
  }
}
