export interface ScalarNode {
  readonly kind: 'scalar'
  readonly offset: number
  /** The full name (`tag:yaml.org,2002:str`), `!` for the bare mark, '' for none. */
  readonly tag: string
  /** Written without quotes and not as a block. */
  readonly plain: boolean
  readonly text: string
}

export interface SequenceNode {
  readonly kind: 'sequence'
  readonly offset: number
  readonly tag: string
  /** Whether an alias refers to it; set while the tree is built. */
  aliased: boolean
  readonly items: Node[]
}

export interface MappingNode {
  readonly kind: 'mapping'
  readonly offset: number
  readonly tag: string
  aliased: boolean
  readonly pairs: {readonly key: Node; readonly value: Node}[]
}

/** A `*name`; its target never contains the alias itself. */
export interface AliasNode {
  readonly kind: 'alias'
  readonly offset: number
  readonly target: ContentNode
}

export type ContentNode = ScalarNode | SequenceNode | MappingNode
export type Node = ContentNode | AliasNode

/** Returns the node itself, or the target of an alias. */
export function targetNode(node: Node): ContentNode {
  return node.kind === 'alias' ? node.target : node
}
