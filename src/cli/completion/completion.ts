import type {CommandReference} from '../reference.ts'
import {bash} from './bash.ts'
import {fish} from './fish.ts'
import {type Tables, tables} from './tables.ts'
import {zsh} from './zsh.ts'

/** The shells that kk writes completions for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** Returns the script with which a shell completes these commands, flags and their values. */
export function completionScript(shell: Shell, commands: readonly CommandReference[]): string {
  return SCRIPTS[shell](tables(commands))
}

const SCRIPTS = {bash, zsh, fish} satisfies Record<Shell, (all: Tables) => string>
