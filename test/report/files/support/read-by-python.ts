import {join} from 'node:path'
import {execa} from 'execa'

export interface ReadJunit {
  /** What breaks the schemas in use. */
  readonly problems: readonly string[]
  readonly suite: Readonly<Record<string, string>>
  readonly cases: readonly {
    readonly name: string
    readonly classname: string
    readonly time: string
    readonly endings: readonly Readonly<Record<string, string>>[]
  }[]
}

/** JUnit reports as Python's XML parser reads them. */
export async function readJunit(reports: readonly string[]): Promise<readonly ReadJunit[]> {
  return (await python('junit.py', JSON.stringify(reports))) as readonly ReadJunit[]
}

export interface ReadPage {
  /** What it would load or run, and what is not well-formed. */
  readonly problems: readonly string[]
  /** All that can be read on it. */
  readonly text: string
  readonly links: readonly string[]
  /** How many places the keyboard reaches. */
  readonly focusable: number
}

/** A page as Python's HTML parser reads it. */
export async function readPage(page: string): Promise<ReadPage> {
  return (await python('page.py', page)) as ReadPage
}

async function python(script: string, input: string): Promise<unknown> {
  const {stdout} = await execa('python3', [join(import.meta.dirname, script)], {input})
  return JSON.parse(stdout)
}
