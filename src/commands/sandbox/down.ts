import {KkCommand} from '../../cli/command.ts'
import {sandboxFlags} from '../../cli/flags.ts'
import {down} from '../../sandbox/remove.ts'

export default class SandboxDown extends KkCommand {
  static override summary = 'Stop a throwaway Kubernetes cluster and remove everything that belongs to it.'
  static override description =
    'Stops its processes and removes its files, even if it is only partly started.'
  static override usage = '[FLAGS]'
  static override examples = ['kk sandbox down', 'kk sandbox down --sandbox-name big']
  static override flags = sandboxFlags

  override async run(): Promise<void> {
    const {flags} = await this.parse(SandboxDown)
    const name = flags['sandbox-name']
    const outcome = await down({name, env: process.env, onProgress: this.console.say})
    this.console.say(outcome === 'removed' ? `the sandbox ${name} is removed` : `there is no sandbox ${name}`)
  }
}
