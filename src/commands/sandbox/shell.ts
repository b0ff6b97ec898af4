import {commandWords, KkCommand} from '../../cli/command.ts'
import {sandboxFlags} from '../../cli/flags.ts'
import {shell} from '../../sandbox/shell.ts'

export default class SandboxShell extends KkCommand {
  static override summary = 'Open a shell, or run a command, that speaks to a throwaway Kubernetes.'
  static override description =
    'KUBECONFIG is set, and kubectl and helm are on PATH. Without a command, the shell of SHELL. The exit code is that of the shell or command.'
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
