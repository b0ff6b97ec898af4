import {Flags} from '@oclif/core'
import {KkCommand} from '../../cli/command.ts'
import {clusterFlags, helmFlags, repeated} from '../../cli/flags.ts'
import {serveOperator} from '../../cli/operator/serve.ts'

export default class OperatorRun extends KkCommand {
  static override hidden = true
  static override summary = 'Run the operator: reconcile every Environment of the cluster until a signal.'
  static override description =
    'The Deployment of kk operator install runs this command. Of several processes, one is the leader and the others stand by. After the first SIGTERM, running actions finish and no others start; a second SIGTERM ends kk immediately. /healthz, /readyz and /metrics are served on loopback unless --listen specifies another address. With --role, the work is split between processes: a parent plans and dispatches, children carry out the actions of its plans. Children that serve the same shards divide the releases among themselves.'
  static override examples = [
    'kk operator run --sandbox',
    'kk operator run --role parent --shards keystone --sandbox',
    "kk operator run --role child --shards keystone --shards 'nova-*' --sandbox",
  ]
  static override flags = {
    role: Flags.option({
      summary: 'The part of the work that this process does (default: all of it).',
      options: ['parent', 'child'] as const,
    })(),
    shards: repeated(
      'NAME',
      "For a parent, a shard with dedicated processes: a chart, a section, or a release; the rest is in the shard others. For a child, a shard whose actions it carries out, or a pattern such as 'nova-*'. May be repeated.",
    ),
    listen: Flags.string({
      summary: 'The address that serves probes and metrics.',
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
