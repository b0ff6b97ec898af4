import {join, relative} from 'node:path'
import {execa} from 'execa'

const ROOT = join(import.meta.dirname, '..')

/** The source as biome formats such a file. */
export async function format(file: string, text: string): Promise<string> {
  const {stdout} = await execa('biome', ['format', `--stdin-file-path=${relative(ROOT, file)}`], {
    cwd: ROOT,
    input: text,
    preferLocal: true,
  })
  return `${stdout}\n`
}
