import {KkCommand} from '../../cli/command.ts'
import {sandboxFlags} from '../../cli/flags.ts'
import {down} from '../../sandbox/remove.ts'

export default class SandboxDown extends KkCommand {
  static override summary = 'Stop a throwaway Kubernetes and remove all of it.'
  static override description = 'Its processes are ended and its files removed, whole or half started.'
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
