import {KkCommand} from '../cli/command.ts'
import {readAsset} from '../state/assets.ts'

export default class Licenses extends KkCommand {
  static override summary = 'Print the license notices of all components of kk.'
  static override examples = ['kk licenses']

  override async run(): Promise<void> {
    await this.parse(Licenses)
    this.console.print((await readAsset('licenses.txt')).toString())
  }
}
