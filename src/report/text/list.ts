import {textWidth} from './width.ts'

/** Returns a count with its noun: `1 release`, `2 releases`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/**
 * Returns as many items as fit into `columns`, then how many are left: `a, b and 3 more`. At least one item
 * is named.
 */
export function listWithin(items: readonly string[], columns: number): string {
  const whole = items.join(', ')
  if (items.length <= 1 || textWidth(whole) <= columns) return whole
  let text = `${items[0]} and ${items.length - 1} more`
  for (let count = 2; count < items.length; count++) {
    const longer = `${items.slice(0, count).join(', ')} and ${items.length - count} more`
    if (textWidth(longer) > columns) return text
    text = longer
  }
  return text
}
