import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')

/** One step of a walk: a function, in the file that a reader has to open for it. */
interface Step {
  readonly file: string
  readonly name: string
  /** The type of what is handed on, where nobody calls the function by its name: events. */
  readonly by?: string | undefined
}

/** The walks of docs/architecture.md, each with the most files and jumps back that it may have. */
const WALKS = [
  {title: '`kk deploy`: from the command to helm', files: 20, back: 4},
  {title: "helm's error: from the process to the screen", files: 12, back: 4},
  {title: '`kk remove` refused: from the command to the screen', files: 14, back: 4},
  {title: 'a PATCH of overrides: from the request to what helm sees', files: 18, back: 4},
]

describe.each(WALKS)('the walk in docs/architecture.md: $title', ({title, files, back}) => {
  const steps = stepsOf(PAGE, title)

  it('leads from each function to the next', () => {
    expect(steps.length).toBeGreaterThan(4)
    expect(steps.flatMap((_, at) => gapsIn(steps.slice(0, at + 1)))).toEqual([])
  })

  it(`opens at most ${files} files, and jumps back at most ${back} times`, () => {
    expect(new Set(steps.map(({file}) => file)).size).toBeLessThanOrEqual(files)
    expect(jumpsBack(steps)).toBeLessThanOrEqual(back)
  })
})

describe('a walk is refused', () => {
  it.each([
    ['if a function is not in its file', [{file: 'src/run/run.ts', name: 'nobodyMadeThis'}]],
    [
      'if no earlier step leads to a step',
      [
        {file: 'src/graph/order.ts', name: 'order'},
        {file: 'src/run/run.ts', name: 'run'},
      ],
    ],
  ])('%s', (_, steps) => {
    expect(gapsIn(steps)).toHaveLength(1)
  })
})

/** The steps below a heading, e.g. "1. `src/run/run.ts`: `run`, `start`". */
function stepsOf(page: string, title: string): readonly Step[] {
  const section = page.split(`### ${title}\n`)[1]?.split(/^##/m)[0] ?? ''
  const lines = section.matchAll(/^\d+\. `(src\/[^`]+)`(?: \(by `(\w+)`\))?: (.+)$/gm)
  return [...lines].flatMap(([, file = '', by, names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => ({file, name, by})),
  )
}

/**
 * What is wrong with the last step: nothing if its file has the function, and an earlier step calls it, or it
 * an earlier one.
 */
function gapsIn(walk: readonly Step[]): readonly string[] {
  const last = walk.at(-1)!
  const {file, name, by} = last
  const body = bodyOf(last)
  if (body === undefined) return [`${file} has no ${name}`]
  const isLed = walk
    .slice(0, -1)
    .some(
      (step) =>
        names(bodyOf(step), name) ||
        names(body, step.name) ||
        (by !== undefined && names(textOf(step.file), by) && names(textOf(file), by)),
    )
  return isLed || walk.length === 1 ? [] : [`nothing before it leads to ${name} of ${file}`]
}

function names(text: string | undefined, word: string): boolean {
  return new RegExp(`\\b${word}\\b`).test(text ?? '')
}

function textOf(file: string): string | undefined {
  const path = join(ROOT, file)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** The text of a function, from its line to the one that ends it: biome gives both the same indentation. */
function bodyOf({file, name}: Step): string | undefined {
  const lines = textOf(file)?.split('\n') ?? []
  const declaration = new RegExp(
    `^ *(?:export )?(?:static |override |private |protected |async )*(?:function\\*? |const |class )?\\*?#?${name}\\b(?:<|\\(|:| =| extends)`,
  )
  const start = lines.findIndex((line) => declaration.test(line) && !/^\s*(\*|\/\/)/.test(line))
  if (start < 0) return undefined
  const indent = /^ */.exec(lines[start]!)![0]
  const length = lines.slice(start).findIndex((line, at) => at > 0 && line.startsWith(`${indent}}`))
  return lines.slice(start, length < 0 ? start + 1 : start + length + 1).join('\n')
}

/** How often the walk returns to a file that it had left. */
function jumpsBack(steps: readonly Step[]): number {
  const opened = steps.map(({file}) => file).filter((file, at, all) => file !== all[at - 1])
  return opened.length - new Set(opened).size
}
