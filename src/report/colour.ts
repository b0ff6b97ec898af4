import {Chalk} from 'chalk'

/** The colour level of chalk: none, 16 colours, 256, millions. */
export type ColourLevel = 0 | 1 | 2 | 3

/** The part of a stream that decides on colour; `process.stdout` and `process.stderr` have it. */
export interface ColourStream {
  readonly isTTY?: boolean
  /** Returns the bits of colour, as `tty.WriteStream` does: 1, 4, 8 or 24. */
  getColorDepth?(env?: object): number
}

/** The colours of text by its role: views name the role, never a colour. */
export interface Palette {
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly change: (text: string) => string
  readonly accent: (text: string) => string
  readonly quiet: (text: string) => string
  readonly strong: (text: string) => string
}

/**
 * Returns the colour level of one stream: by `--no-color` (`flag` false), then NO_COLOR when it is not empty
 * (no-color.org), then FORCE_COLOR, then TERM=dumb and whether the stream is a terminal.
 */
export function colourLevel(of: {
  readonly stream: ColourStream
  readonly env: NodeJS.ProcessEnv
  readonly flag: boolean | undefined
}): ColourLevel {
  const {stream, env, flag} = of
  if (flag === false) return 0
  if (flag === true) return Math.max(1, forcedLevel(env.FORCE_COLOR ?? '1')) as ColourLevel
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return 0
  if (env.FORCE_COLOR !== undefined) return forcedLevel(env.FORCE_COLOR)
  if (stream.isTTY !== true || env.TERM === 'dumb') return 0
  return levelOfDepth(stream.getColorDepth?.(env) ?? 4)
}

export function palette(level: ColourLevel): Palette {
  const chalk = new Chalk({level})
  // Chalk joins all its arguments; a role takes one, so that it can be passed to `map`.
  return {
    good: (text) => chalk.green(text),
    bad: (text) => chalk.red(text),
    change: (text) => chalk.yellow(text),
    accent: (text) => chalk.cyan(text),
    quiet: (text) => chalk.dim(text),
    strong: (text) => chalk.bold(text),
  }
}

function forcedLevel(value: string): ColourLevel {
  if (value === '0' || value === 'false') return 0
  if (value === '2') return 2
  if (value === '3') return 3
  return 1
}

function levelOfDepth(bits: number): ColourLevel {
  if (bits >= 24) return 3
  if (bits >= 8) return 2
  return bits >= 4 ? 1 : 0
}
