import {Flags} from '@oclif/core'
import {KkCommand} from '../../cli/command.ts'
import {clusterFlags, helmFlags, repeated} from '../../cli/flags.ts'
import {serveOperator} from '../../cli/operator/serve.ts'

export default class OperatorRun extends KkCommand {
  static override summary = 'Keep every Environment of the cluster as its file says, until a signal.'
  static override description =
    'What the Deployment of kk operator install runs. Of several processes one leads, and the others stand by. The first SIGTERM lets what runs end and starts nothing more; a second ends kk at once. /healthz, /readyz and /metrics answer on loopback unless --listen says otherwise. With --role the work is shared between processes: a parent plans and orders, children do the actions of its plans. Several children that serve the same shards divide the releases among themselves.'
  static override examples = [
    'kk operator run --sandbox',
    'kk operator run --role parent --shards keystone --sandbox',
    "kk operator run --role child --shards keystone --shards 'nova-*' --sandbox",
  ]
  static override flags = {
    role: Flags.option({
      summary: 'Do a part of the work; by default all of it.',
      options: ['parent', 'child'] as const,
    })(),
    shards: repeated(
      'NAME',
      "Of a parent, a shard that has processes of its own: a chart, a section, or a release; all else is in the shard others. Of a child, one whose actions it does, or a pattern such as 'nova-*'. May be repeated.",
    ),
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
