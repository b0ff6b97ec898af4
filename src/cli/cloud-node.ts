import {Flags} from '@oclif/core'
import {KkError} from '../base/errors.ts'
import type {Environment} from '../environment/environment.ts'
import {DEFAULT_MIGRATIONS} from '../nodes/drain-plan.ts'
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

/** The flag of commands that move instances. */
export const migrationsFlag = {
  'max-migrations': Flags.integer({
    summary: 'How many instances of a node move at once.',
    min: 1,
    default: DEFAULT_MIGRATIONS,
    helpValue: 'N',
  }),
}

/** The argument of commands for one node of a cloud. */
export const cloudNodeArgument = {
  node: argument({description: 'The node of Kubernetes, and the environment file, in any order.'}),
}

/** The argument of commands for several nodes of a cloud. */
export const cloudNodesArgument = {
  nodes: argument({description: 'Nodes of Kubernetes, and the environment file, in any order.'}),
}

export interface OpenedNodes {
  readonly environment: Environment
  readonly cluster: OpenedCluster
  readonly nodes: readonly string[]
  /** The directory of kk's own files. */
  readonly files: string
  /** Milliseconds since the epoch. */
  readonly deadline: number
  /** Returns the deadline of what begins now, when a user has confirmed it. */
  readonly newDeadline: () => number
  readonly onProgress: (line: string) => void
}

interface Opening {
  readonly command: string
  /** Seconds, if no flag says so. */
  readonly timeout: number
  readonly console: Console
}

export type NodeFlags = EnvironmentFlags & ClusterFlags & {readonly timeout?: string | undefined}

/**
 * Opens the environment, its cluster, and the node that the arguments name. The caller closes the cluster.
 */
export async function openCloudNode(
  flags: NodeFlags,
  argv: readonly string[],
  opening: Opening,
): Promise<Omit<OpenedNodes, 'nodes'> & {readonly node: string}> {
  const {nodes, ...opened} = await openCloudNodes(flags, argv, opening, (names) => {
    if (names.length === 1) return
    throw new KkError('KK_USAGE', `${opening.command} takes one node, got ${names.join(', ') || 'none'}`, {
      hint: 'kk node list shows the nodes',
    })
  })
  return {...opened, node: nodes[0]!}
}

/** As `openCloudNode`, with any number of nodes. `check` throws for those that the command does not take. */
export async function openCloudNodes(
  flags: NodeFlags,
  argv: readonly string[],
  {timeout, console}: Opening,
  check: (nodes: readonly string[]) => void = () => undefined,
): Promise<OpenedNodes> {
  const seconds = timeoutSeconds(flags.timeout) ?? timeout
  const {environment, releases: nodes} = await openEnvironment(flags, argv)
  check(nodes)
  const cluster = await openChosenCluster(flags, environment)
  let shown: string | undefined
  const newDeadline = () => Date.now() + seconds * 1000
  return {
    environment,
    cluster,
    nodes,
    files: await builtInFiles(process.env),
    deadline: newDeadline(),
    newDeadline,
    onProgress: (line) => {
      if (line !== shown) console.say(console.palette('stderr').quiet(line))
      shown = line
    },
  }
}

export interface ConfirmFlags {
  readonly yes: boolean
  readonly 'dry-run': boolean
  readonly output: Output
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
  flags: ConfirmFlags,
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
