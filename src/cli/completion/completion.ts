import {bash} from './bash.ts'
import {fish} from './fish.ts'
import {zsh} from './zsh.ts'

/** The shells that kk writes completions for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** Returns the script by which a shell completes kk's commands, flags and their values. */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell]()
}

const SCRIPTS = {bash, zsh, fish} satisfies Record<Shell, () => string>
