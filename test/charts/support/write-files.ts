import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {onTestFinished} from 'vitest'

/** Files by path. */
export type Files = Readonly<Record<string, string>>

/** A directory with these files, removed when the test is over, or when `onEnd` calls what it is given. */
export function writeFiles(files: Files, onEnd: (remove: () => void) => void = onTestFinished): string {
  const directory = mkdtempSync(join(tmpdir(), 'kk-charts-test-'))
  onEnd(() => rmSync(directory, {recursive: true, force: true}))
  addFiles(directory, files)
  return directory
}

/** Writes these files into a directory that is there. */
export function addFiles(directory: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), {recursive: true})
    writeFileSync(join(directory, path), text)
  }
}

/** The smallest `Chart.yaml`, with lines added to it. */
export function manifest(name: string, version = '0.1.0', lines = ''): string {
  return `apiVersion: v2\nname: ${name}\nversion: ${version}\n${lines}`
}
