import {Flags} from '@oclif/core'
import {KkCommand} from '../../cli/command.ts'
import {clusterFlags, helmFlags} from '../../cli/flags.ts'
import {serveOperator} from '../../cli/operator/serve.ts'

export default class OperatorRun extends KkCommand {
  static override summary = 'Keep every Environment of the cluster as its file says, until a signal.'
  static override description =
    'What the Deployment of kk operator install runs. Of several processes one leads, and the others stand by. The first SIGTERM lets what runs end and starts nothing more; a second ends kk at once. /healthz, /readyz and /metrics answer on loopback unless --listen says otherwise.'
  static override examples = ['<%= config.bin %> operator run --sandbox']
  static override flags = {
    listen: Flags.string({
      summary: 'Where probes and metrics are answered.',
      helpValue: 'HOST:PORT',
      default: '127.0.0.1:8080',
    }),
    ...clusterFlags,
    ...helmFlags,
  }

  override async run(): Promise<void> {
    const {flags} = await this.parse(OperatorRun)
    await serveOperator(flags, this.console.say)
  }
}
