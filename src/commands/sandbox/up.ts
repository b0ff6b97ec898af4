import {Flags} from '@oclif/core'
import {KkCommand} from '../../cli/command.ts'
import {documentFlags, sandboxFlags} from '../../cli/flags.ts'
import {abortable} from '../../cli/signals.ts'
import {sandboxText} from '../../report/sandbox-text.ts'
import {up} from '../../sandbox/up.ts'

export default class SandboxUp extends KkCommand {
  static override summary = 'Start a throwaway Kubernetes cluster on this machine.'
  static override description =
    'etcd, API server, controllers and scheduler are real; kwok simulates the nodes and what happens inside pods. ' +
    'A running sandbox is left unchanged. In a sandbox that was up, stopped processes are restarted, and everything that was deployed in it stays; ' +
    'only a sandbox that never came up is removed first.'
  static override usage = '[FLAGS]'
  static override examples = ['kk sandbox up', 'kk sandbox up --nodes 5 --sandbox-name big']
  static override flags = {
    ...sandboxFlags,
    nodes: Flags.integer({
      summary: 'The number of nodes of a new sandbox.',
      helpValue: 'N',
      default: 3,
      min: 1,
      max: 1000,
    }),
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {flags} = await this.parse(SandboxUp)
    const start = Date.now()
    const {outcome, sandbox} = await abortable('the start of the sandbox', (signal) =>
      up({
        name: flags['sandbox-name'],
        nodes: flags.nodes,
        restart: true,
        env: process.env,
        onProgress: this.console.say,
        signal,
      }),
    )
    const seconds = ((Date.now() - start) / 1000).toFixed(1)
    const already = `the sandbox ${sandbox.name} is already running`
    const unchanged = sandbox.nodes === flags.nodes ? already : `${already}, with ${sandbox.nodes} nodes`
    const again = outcome === 'restarted' ? ' again' : ''
    this.console.say(
      outcome === 'already-running' ? unchanged : `the sandbox ${sandbox.name} is up${again} in ${seconds} s`,
    )
    this.console.document(flags.output, {outcome, ...sandbox}, () => sandboxText(sandbox))
  }
}
