import {argument} from '../cli/argument.ts'
import {KkCommand} from '../cli/command.ts'
import {completionScript, SHELLS} from '../cli/completion/completion.ts'
import {commandsOf} from '../cli/reference.ts'

export default class Completion extends KkCommand {
  static override summary = 'Print the script by which a shell completes the words of kk.'
  static override description =
    'Commands, flags and their values stand in the script. Names of releases and of the environment are completed from the environment file: the one that the line names, or that kk would take by itself.'
  static override examples = [
    'kk completion bash > kk.bash',
    'kk completion zsh > _kk',
    'kk completion fish > kk.fish',
  ]
  static override args = {shell: argument({description: 'The shell.', options: [...SHELLS], required: true})}

  override async run(): Promise<void> {
    const {args} = await this.parse(Completion)
    this.console.print(completionScript(args.shell as (typeof SHELLS)[number], commandsOf(this.table)))
  }
}
