import {type Allowance, allowedPods} from '../base/allowance.ts'
import {KkError} from '../base/errors.ts'

/** How many of the nodes with a label may be away at once. */
export interface Budget {
  /** `KEY` or `KEY=VALUE`; every node if omitted. */
  readonly label?: string
  readonly allowance: Allowance
}

/** A node, as a roll sees it. */
export interface RollNode {
  readonly node: string
  readonly labels: Readonly<Record<string, string>>
  /** Whether it serves nothing now: it is not ready, is cordoned, or is in the roll. */
  readonly isAway: boolean
}

const BUDGET = /^(?:(?<label>.+)=)?(?<allowance>\d+%?)$/

/** Reads budgets; one node of all may be away unless one says so. Throws `KK_USAGE`. */
export function parseBudgets(texts: readonly string[]): readonly Budget[] {
  const budgets = texts.map(parseBudget)
  return budgets.some(({label}) => label === undefined) ? budgets : [{allowance: 1}, ...budgets]
}

/** Reads `2`, `10%`, `KEY=1` or `KEY=VALUE=1`. Throws `KK_USAGE`. */
function parseBudget(text: string): Budget {
  const {label, allowance = ''} = BUDGET.exec(text)?.groups ?? {}
  const share = allowance.endsWith('%') ? (allowance as Allowance) : Number(allowance)
  if (allowance === '' || Number.parseInt(allowance, 10) === 0) {
    throw new KkError(
      'KK_USAGE',
      `--max-unavailable ${text}: expected a number of nodes, or a share of them`,
      {
        hint: 'for example --max-unavailable 2, --max-unavailable 10%, --max-unavailable openstack-control-plane=1',
      },
    )
  }
  return {...(label !== undefined && {label}), allowance: share}
}

/** Whether a node has the label `KEY`, or `KEY=VALUE`; each has the label that is undefined. */
export function hasLabel({labels}: Pick<RollNode, 'labels'>, label: string | undefined): boolean {
  if (label === undefined) return true
  const [key, value] = label.split('=') as [string, string?]
  return value === undefined ? key in labels : labels[key] === value
}

/**
 * Returns why a node may not leave now: which budget the nodes that are away use up. Undefined if it may. A
 * share of nodes allows one at least.
 */
export function exceededBudget(
  node: RollNode,
  nodes: readonly RollNode[],
  budgets: readonly Budget[],
): string | undefined {
  for (const {label, allowance} of budgets) {
    if (!hasLabel(node, label)) continue
    const same = nodes.filter((each) => hasLabel(each, label))
    const away = same.filter((each) => each.isAway && each.node !== node.node).map((each) => each.node)
    const most = Math.max(1, allowedPods(allowance, same.length))
    if (away.length < most) continue
    const which = label === undefined ? 'nodes' : `nodes with ${label}`
    return `${away.join(', ')} ${away.length === 1 ? 'is' : 'are'} away, and at most ${most} of ${same.length} ${which} may be`
  }
  return undefined
}
