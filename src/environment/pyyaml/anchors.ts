import type {PythonNode} from './node.ts'

/**
 * Names of the objects that a tree holds more than once, in the order in which they come a second time.
 * PyYAML 6: serializer.py anchor_node; strings and numbers have no identity there.
 */
export function anchorsOf(root: PythonNode): ReadonlyMap<PythonNode, string> {
  const met = new Set<PythonNode>()
  const anchors = new Map<PythonNode, string>()
  const visit = (node: PythonNode): void => {
    if (node.kind === 'scalar' && node.type !== 'timestamp') return
    if (met.has(node)) {
      if (!anchors.has(node)) anchors.set(node, `id${String(anchors.size + 1).padStart(3, '0')}`)
      return
    }
    met.add(node)
    if (node.kind === 'list') for (const item of node.items) visit(item)
    if (node.kind !== 'map') return
    for (const {key, value} of node.pairs) {
      visit(key)
      visit(value)
    }
  }
  visit(root)
  return anchors
}
