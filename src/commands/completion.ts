import {argument} from '../cli/argument.ts'
import {KkCommand} from '../cli/command.ts'
import {completionScript, SHELLS} from '../cli/completion/completion.ts'
import {commandsOf} from '../cli/reference.ts'

export default class Completion extends KkCommand {
  static override summary = 'Print the shell completion script.'
  static override description =
    'The script contains the commands, the flags and their values. Names of releases and of the environment are completed from the environment file: the file on the command line, or the default file of kk.'
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
