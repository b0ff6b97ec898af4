import {KkError} from '../base/errors.ts'
import type {Environment} from '../environment/environment.ts'
import type {Palette} from '../report/colour.ts'
import type {View} from '../report/text/view.ts'
import {builtInFiles} from '../state/assets.ts'
import {argument} from './argument.ts'
import {type Console, type Output, requireConfirmation} from './console.ts'
import {
  type ClusterFlags,
  clusterFlags,
  documentFlags,
  type EnvironmentFlags,
  environmentFlags,
  timeoutSeconds,
} from './flags.ts'
import {type OpenedCluster, openChosenCluster} from './open/cluster.ts'
import {openEnvironment} from './open/open.ts'
import {changeFlags} from './run/flags.ts'

/** The flags of commands that change a node after they have shown a plan. */
export const nodeChangeFlags = {
  ...environmentFlags,
  yes: changeFlags.yes,
  'dry-run': changeFlags['dry-run'],
  ...documentFlags,
  ...clusterFlags,
}

/** The argument of commands for one node of a cloud. */
export const cloudNodeArgument = {
  node: argument({description: 'The node of Kubernetes, and the environment file, in any order.'}),
}

interface OpenedNode {
  readonly environment: Environment
  readonly cluster: OpenedCluster
  readonly node: string
  /** The directory of kk's own files. */
  readonly files: string
  /** Milliseconds since the epoch. */
  readonly deadline: number
  /** Returns the deadline of what begins now, when a user has confirmed it. */
  readonly newDeadline: () => number
  readonly onProgress: (line: string) => void
}

/**
 * Opens the environment, its cluster, and the node that the arguments name. The caller closes the cluster.
 */
export async function openCloudNode(
  flags: EnvironmentFlags & ClusterFlags & {readonly timeout?: string | undefined},
  argv: readonly string[],
  {
    command,
    timeout,
    console,
  }: {readonly command: string; readonly timeout: number; readonly console: Console},
): Promise<OpenedNode> {
  const seconds = timeoutSeconds(flags.timeout) ?? timeout
  const {environment, releases: nodes} = await openEnvironment(flags, argv)
  const [node] = nodes
  if (node === undefined || nodes.length > 1) {
    throw new KkError('KK_USAGE', `${command} takes one node, got ${nodes.join(', ') || 'none'}`, {
      hint: 'kk node list shows the nodes',
    })
  }
  const cluster = await openChosenCluster(flags, environment)
  let shown: string | undefined
  const newDeadline = () => Date.now() + seconds * 1000
  return {
    environment,
    cluster,
    node,
    files: await builtInFiles(process.env),
    deadline: newDeadline(),
    newDeadline,
    onProgress: (line) => {
      if (line !== shown) console.say(console.palette('stderr').quiet(line))
      shown = line
    },
  }
}

interface Confirmed<P> {
  readonly plan: P
  readonly text: (plan: P, palette: Palette) => View
  readonly question: string
  /** Throws if the plan must not be carried out. */
  readonly refuse?: (plan: P) => void
}

/**
 * Shows the plan for a node, and asks unless `--yes` is given. Returns false for a dry run. Throws what
 * `refuse` throws, after the plan of a dry run.
 */
export async function confirmNodePlan<P>(
  console: Console,
  flags: {readonly yes: boolean; readonly 'dry-run': boolean; readonly output: Output},
  {plan, text, question, refuse}: Confirmed<P>,
): Promise<boolean> {
  if (flags['dry-run']) {
    console.document(flags.output, plan, (palette) => text(plan, palette))
    refuse?.(plan)
    return false
  }
  refuse?.(plan)
  console.say(text(plan, console.palette('stderr')))
  if (!flags.yes) await requireConfirmation(question, 'check the plan with --dry-run, then pass --yes')
  return true
}
