import {expect, it} from 'vitest'
import {OLD_COMMANDS} from '../../src/cli/old-commands.ts'
import {table} from '../../src/table.js'

interface Flag {
  readonly name: string
  readonly char?: string
  readonly type: 'boolean' | 'option'
  readonly allowNo?: boolean
  readonly multiple?: boolean
  readonly required?: boolean
  readonly options?: readonly string[]
  readonly helpValue?: string
  readonly default?: unknown
}

interface Command {
  readonly args: Readonly<Record<string, {readonly name: string; readonly required?: boolean}>>
  readonly flags: Readonly<Record<string, Flag>>
}

/** What scripts build on: every command with its arguments, and every flag with the values it takes. */
function surface(): string {
  const texts = Object.entries(table.commands).map(([id, command]) => {
    const {args, flags} = command as Command
    const words = Object.values(args).map(({name, required}) => (required ? ` <${name}>` : ` [${name}]`))
    const lines = Object.values(flags)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((flag) => `  ${flagText(flag)}\n`)
    return `kk ${id.replaceAll(':', ' ')}${words.join('')}\n${lines.join('')}`
  })
  const old = Object.entries(OLD_COMMANDS).map(([name, present]) => `kk ${name}: now kk ${present}\n`)
  return [...texts, old.join('')].join('\n')
}

function flagText({name, char, allowNo, multiple, required, options, ...flag}: Flag): string {
  const value = flag.type === 'boolean' ? '' : ` ${options?.join('|') ?? flag.helpValue ?? 'VALUE'}`
  const marks = [
    ...(multiple ? ['may be repeated'] : []),
    ...(required ? ['required'] : []),
    ...(flag.default === undefined ? [] : [`default ${JSON.stringify(flag.default)}`]),
  ]
  const names = `${char === undefined ? '' : `-${char}, `}--${allowNo ? '[no-]' : ''}${name}${value}`
  return marks.length === 0 ? names : `${names}  (${marks.join(', ')})`
}

it('commands, arguments and flags are those of test/commands/surface.golden', async () => {
  await expect(surface()).toMatchFileSnapshot('surface.golden')
})
