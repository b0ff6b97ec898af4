import {NODE_TEXTS, type NodeChangeTexts, operationText} from '../report/nodes-text.ts'
import {
  NODE_CHANGES,
  type NodeChange,
  type NodeChangeName,
  type NodeChangeOptions,
} from '../verbs/nodes/changes.ts'
import {type ConfirmFlags, confirmNodePlan, type NodeFlags, openCloudNode} from './cloud-node.ts'
import type {Console} from './console.ts'

/** What kk asks before a change; one without a question needs no confirmation. */
const QUESTIONS: Readonly<Record<NodeChangeName, ((node: string) => string) | undefined>> = {
  drain: (node) => `drain ${node}`,
  return: undefined,
  evacuate: () => 'start these instances elsewhere',
  remove: (node) => `remove ${node}`,
  add: (node) => `add ${node}`,
  replace: (node) => `give up the data of ${node}`,
}

interface ChangedNode {
  readonly flags: NodeFlags & Pick<ConfirmFlags, 'output'> & Partial<ConfirmFlags>
  readonly argv: readonly string[]
  readonly options?: Pick<NodeChangeOptions, 'concurrency' | 'labels' | 'replacement'>
}

/** Plans a change of a node, shows it and asks, and carries it out. Resolves with the exit code. */
export async function runNodeChange(
  name: NodeChangeName,
  console: Console,
  {flags, argv, options}: ChangedNode,
): Promise<number> {
  const change: NodeChange<unknown, unknown> = NODE_CHANGES[name]
  const texts: NodeChangeTexts<unknown, unknown> = NODE_TEXTS[name]
  const opened = await openCloudNode(flags, argv, {
    ...{command: `kk node ${name}`, timeout: change.timeoutSeconds, console},
  })
  await using cluster = opened.cluster
  const palette = console.palette('stderr')
  const {plan, names = new Map()} = await change.plan(cluster, {...opened, ...options})
  const question = QUESTIONS[name]
  const isConfirmed =
    question === undefined ||
    (await confirmNodePlan(
      console,
      {yes: false, 'dry-run': false, ...flags},
      {
        plan,
        text: texts.plan,
        question: `${question(opened.node)} on ${cluster.context}?`,
        refuse: change.refuse,
      },
    ))
  if (!isConfirmed) return 0
  const result = await change.execute(cluster, {
    ...{...opened, ...options, plan, deadline: opened.newDeadline()},
    onEvent: (event) => console.say(operationText(event, names, palette)),
  })
  console.document(flags.output, result, (colours) => texts.result(result, colours))
  return change.isDone(result) ? 0 : 1
}
