import {globSync, readFileSync} from 'node:fs'
import {join} from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')

/** A page that people read: its path from the repository's root, and its text. */
export interface Page {
  readonly path: string
  readonly text: string
}

/** The pages at the root and below docs/. */
export function readPages(): readonly Page[] {
  return globSync(['*.md', 'docs/**/*.md'], {cwd: ROOT})
    .sort()
    .map((path) => ({path, text: readFileSync(join(ROOT, path), 'utf8')}))
}

/** A fenced block: what stands after the fence, e.g. `sh test`, and what is in it. */
export interface Block {
  readonly info: string
  readonly text: string
}

export function blocksOf({text}: Page): readonly Block[] {
  const found = text.matchAll(/^( *)```(.*)\n([\s\S]*?)^\1```$/gm)
  return [...found].map(([, indent = '', info = '', block = '']) => ({
    info: info.trim(),
    text: block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** The text without its fenced blocks. */
export function proseOf({text}: Page): string {
  return text.replaceAll(/^( *)```.*\n[\s\S]*?^\1```$/gm, '')
}
