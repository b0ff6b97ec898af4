import {writeFile} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {makeDirectory} from '../../state/files/make-directory.ts'
import type {ChartFile} from './chart-files.ts'

/** Writes the files of a chart below a directory; only their owner can read them. */
export async function writeChartFiles(files: readonly ChartFile[], directory: string): Promise<void> {
  const folders = new Set(files.map(({path}) => dirname(path)))
  for (const folder of folders) await makeDirectory(join(directory, folder), {mode: 0o700})
  for (const {path, bytes} of files) await writeFile(join(directory, path), bytes, {mode: 0o600})
}
