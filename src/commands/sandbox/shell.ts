import {Flags} from '@oclif/core'
import {commandWords, KkCommand} from '../../cli/command.ts'
import {DEFAULT_SANDBOX} from '../../sandbox/sandbox.ts'
import {shell} from '../../sandbox/shell.ts'

export default class SandboxShell extends KkCommand {
  static override summary = 'Open a shell, or run a command, that speaks to a throwaway Kubernetes.'
  static override description =
    'KUBECONFIG is set, and kubectl and helm are on PATH. Without a command, the shell of SHELL. The exit code is that of the shell or command.'
  static override examples = ['kk sandbox shell', 'kk sandbox shell -- kubectl get nodes']
  static override usage = '[FLAGS] [-- COMMAND...]'
  static override strict = false
  static override flags = {
    'sandbox-name': Flags.string({
      summary: 'The name of the sandbox.',
      helpValue: 'NAME',
      default: DEFAULT_SANDBOX,
    }),
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(SandboxShell)
    process.exitCode = await shell({
      name: flags['sandbox-name'],
      command: commandWords(this.argv, argv),
      env: process.env,
    })
  }
}
