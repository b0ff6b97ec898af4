import {mkdirSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {testDirectory} from '../../support/test-directory.ts'

/** Files by path. */
export type Files = Readonly<Record<string, string>>

/** Returns a directory with these files. It is deleted when the run of vitest ends. */
export function writeFiles(files: Files): string {
  const directory = testDirectory()
  addFiles(directory, files)
  return directory
}

/** Writes these files into an existing directory. */
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
