import {commandWords, KkCommand} from '../../cli/command.ts'
import {NODE_NAME} from '../../sandbox/sandbox.ts'
import {shell} from '../../sandbox/shell.ts'

export default class AioShell extends KkCommand {
  static override summary = 'Open a shell, or run a command, with access to the all-in-one node.'
  static override description =
    'Sets KUBECONFIG and adds kubectl and helm to PATH. Without a command, starts the shell that SHELL names. Exits with the exit code of the shell or command.'
  static override examples = ['kk aio shell', 'kk aio shell -- kubectl get pods --all-namespaces']
  static override usage = '[FLAGS] [-- COMMAND...]'
  static override strict = false

  override async run(): Promise<void> {
    const {argv} = await this.parse(AioShell)
    process.exitCode = await shell({
      name: NODE_NAME,
      command: commandWords(this.argv, argv),
      env: process.env,
    })
  }
}
