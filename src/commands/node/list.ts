import {KkCommand} from '../../cli/command.ts'
import {clusterFlags, documentFlags, environmentFlags, fileArgument} from '../../cli/flags.ts'
import {openChosenCluster} from '../../cli/open/cluster.ts'
import {openEnvironment} from '../../cli/open/open.ts'
import {nodeListText} from '../../report/nodes-text.ts'
import {listNodes} from '../../verbs/nodes/list.ts'

/** The time for which the Job that asks nova is awaited, in milliseconds. */
const TIMEOUT_MS = 300_000

export default class NodeList extends KkCommand {
  static override summary = 'List the nodes of a cloud, their instances, and whether each may be lost.'
  static override description =
    'Shows the state of each node in Kubernetes and in nova, the vCPUs and the memory that Placement has allocated there, and the instances that would start on no other host if the node were lost. A Job in the cluster asks nova, from a template of its chart. Exits 0 also if a node may not be lost.'
  static override usage = '[FILE] [FLAGS]'
  static override examples = ['kk node list cloud.yaml', 'kk node list cloud.yaml --output json']
  static override args = fileArgument
  static override flags = {...environmentFlags, ...documentFlags, ...clusterFlags}

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(NodeList)
    const {environment} = await openEnvironment(flags, args.file === undefined ? [] : [args.file])
    await using cluster = await openChosenCluster(flags, environment)
    const list = await listNodes(cluster, environment, {
      deadline: Date.now() + TIMEOUT_MS,
      onProgress: (line) => this.console.say(this.console.palette('stderr').quiet(line)),
    })
    this.console.document(flags.output, list, (palette) => nodeListText(list, palette))
  }
}
