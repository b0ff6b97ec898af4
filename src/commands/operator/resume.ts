import {KkCommand} from '../../cli/command.ts'
import {clusterFlags} from '../../cli/flags.ts'
import {nameArgument, withCluster} from '../../cli/operator/with-cluster.ts'
import {operatorCommand} from '../../cli/run/repeat-command.ts'
import {resumeEnvironment} from '../../operator/client/environment-commands.ts'

export default class OperatorResume extends KkCommand {
  static override summary = 'Resume the reconciliation of an Environment that was paused or adopted.'
  static override description =
    'The operator reconciles the environment to the objects in kk-system, which may be older than what was deployed in the meantime. Releases that already match stay unchanged.'
  static override examples = ['kk operator resume production']
  static override args = nameArgument
  static override flags = clusterFlags

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(OperatorResume)
    await withCluster(flags, (cluster) => resumeEnvironment(cluster, args.name))
    this.console.say(
      `the operator manages ${args.name}; to see its progress: ${operatorCommand(`status ${args.name}`, flags)}`,
    )
  }
}
