import {type Source, yamlError} from '../yaml/error.ts'
import type {Node, ScalarNode} from '../yaml/node.ts'
import {pythonWord} from '../yaml/pyyaml/word.ts'
import {resolveWord} from '../yaml/word.ts'

/**
 * Throws `KK_YAML` for plain words that YAML 1.1 and YAML 1.2 read differently and that Helm does not read as
 * YAML 1.1 does, such as `1:30`: PyYAML and Helm would resolve different values.
 */
export function refuseAmbiguousWords(source: Source, root: Node): void {
  const visit = (node: Node): void => {
    if (node.kind === 'scalar') refuseAmbiguous(source, node)
    if (node.kind === 'sequence') for (const item of node.items) visit(item)
    if (node.kind !== 'mapping') return
    for (const {key, value} of node.pairs) {
      visit(key)
      visit(value)
    }
  }
  visit(root)
}

function refuseAmbiguous(source: Source, node: ScalarNode): void {
  if (!node.plain || node.tag !== '' || !/^[-+.0-9]/.test(node.text)) return
  const meaning = otherMeaning(node.text)
  if (meaning === undefined) return
  const message = `YAML 1.1 reads this word as ${meaning}, Helm does not`
  throw yamlError(source, node.offset, message, 'write it in quotes, or a number in plain decimal digits')
}

/** Describes how YAML 1.1 reads a word if Helm reads it differently; undefined if they agree. */
export function otherMeaning(text: string): string | undefined {
  const python = pythonWord(text)
  if (!python) return undefined
  if (python.type === 'base60') return 'a number in base 60'
  if (python.type === 'timestamp') return python.dumped === text ? undefined : 'a point in time'
  if (python.dumped === undefined) return undefined
  const helm = resolveWord(text)
  if (helm && Object.is(helm.value, resolveWord(python.dumped)?.value)) return undefined
  return python.type === 'int' || python.type === 'float' ? 'another number' : undefined
}
