import {type ColourLevel, colourLevel, type Palette, palette} from '../../report/colour.ts'

type StreamName = 'stdout' | 'stderr'

/** The colour of a stream, from `--color`, `--no-color`, the environment and the terminal. */
export function levelOf(stream: StreamName, argv: readonly string[]): ColourLevel {
  const flag = argv.includes('--no-color') ? false : argv.includes('--color') ? true : undefined
  return colourLevel({stream: process[stream], env: process.env, flag})
}

export function paletteOf(stream: StreamName, argv: readonly string[]): Palette {
  return palette(levelOf(stream, argv))
}
