import {commandWords, KkCommand} from '../../cli/command.ts'
import {sandboxFlags} from '../../cli/flags.ts'
import {shell} from '../../sandbox/shell.ts'

export default class SandboxShell extends KkCommand {
  static override summary = 'Open a shell, or run a command, with access to a throwaway Kubernetes cluster.'
  static override description =
    'Sets KUBECONFIG and adds kubectl and helm to PATH. Without a command, starts the shell that SHELL names. Exits with the exit code of the shell or command.'
  static override examples = ['kk sandbox shell', 'kk sandbox shell -- kubectl get nodes']
  static override usage = '[FLAGS] [-- COMMAND...]'
  static override strict = false
  static override flags = sandboxFlags

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(SandboxShell)
    process.exitCode = await shell({
      name: flags['sandbox-name'],
      command: commandWords(this.argv, argv),
      env: process.env,
    })
  }
}
