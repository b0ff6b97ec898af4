import {join} from 'node:path'
import {buildToolbox} from '../../scripts/toolbox.ts'
import type {ToolName} from '../../src/state/tools.ts'

/** A real binary for a test; the toolbox is built first where it is missing. */
export async function toolPath(name: ToolName): Promise<string> {
  return join(await toolbox(), name)
}

/** The directory of the real binaries. */
export async function toolbox(): Promise<string> {
  return buildToolbox(process.env, (line) => process.stderr.write(`${line}\n`))
}
