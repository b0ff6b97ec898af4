import {Flags} from '@oclif/core'
import {KkCommand} from '../../cli/command.ts'
import {documentFlags, sandboxFlags} from '../../cli/flags.ts'
import {abortable} from '../../cli/signals.ts'
import {sandboxText} from '../../report/sandbox-text.ts'
import {up} from '../../sandbox/up.ts'

export default class SandboxUp extends KkCommand {
  static override summary = 'Start a throwaway Kubernetes on this machine.'
  static override description =
    'Real etcd, API server, controllers and scheduler; the nodes, and what happens inside pods, are simulated by kwok. ' +
    'A sandbox that runs is left as it is. Of one that was up, what has ended is started again, and all that was deployed in it stays; ' +
    'only what never came up is removed first.'
  static override usage = '[FLAGS]'
  static override examples = ['kk sandbox up', 'kk sandbox up --nodes 5 --sandbox-name big']
  static override flags = {
    ...sandboxFlags,
    nodes: Flags.integer({
      summary: 'How many nodes a new sandbox gets.',
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
    const already = `the sandbox ${sandbox.name} runs already`
    const kept = sandbox.nodes === flags.nodes ? already : `${already}, with ${sandbox.nodes} nodes`
    const again = outcome === 'restarted' ? ' again' : ''
    this.console.say(
      outcome === 'already-running' ? kept : `the sandbox ${sandbox.name} is up${again} in ${seconds} s`,
    )
    this.console.document(flags.output, {outcome, ...sandbox}, () => sandboxText(sandbox))
  }
}
