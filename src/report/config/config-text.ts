import type {ConfigImport} from '../../verbs/config/import-config.ts'
import type {ConfigMerge} from '../../verbs/config/merge-config.ts'
import {plainLine} from '../text/plain.ts'

interface WrittenFile {
  readonly release: string
  readonly file: string
}

/**
 * Returns each container with the places of its files and its notes, and the files where the values were
 * written.
 */
export function importText(
  {containers, leftOut}: Omit<ConfigImport, 'releases'>,
  written: readonly WrittenFile[],
): string {
  return text([
    ...containers.flatMap(({container, chart, component, files, notes}) => [
      `${container}: the component ${component} of ${chart}`,
      ...files.map(({name, isSecret}) => `  ${isSecret ? 'Secret' : 'ConfigMap'}  ${name}`),
      ...notes.map((note) => `  note: ${note}`),
    ]),
    ...leftOut.map(({container, why}) => `skipped: ${container}: ${why}`),
    ...written.map(({file}) => `wrote ${file}`),
  ])
}

/** Returns each file of a chart with its sources, and the files where the values were written. */
export function mergeText(
  {files, leftOut}: Omit<ConfigMerge, 'releases'>,
  written: readonly WrittenFile[],
): string {
  return text([
    ...files.map(({release, file, sources}) => `${file} of ${release}: ${sources.join(', ')}`),
    ...leftOut.map(({file, why}) => `skipped: ${file}: ${why}`),
    ...written.map(({file}) => `wrote ${file}`),
  ])
}

/** Returns the command that deploys the values; "" if none were written. */
export function nextText(written: readonly WrittenFile[]): string {
  if (written.length === 0) return ''
  const flags = written.map(({release, file}) => `--values ${release}=${file}`)
  return `next: kk deploy ENVIRONMENT ${flags.join(' ')}\n`
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${plainLine(line)}\n`).join('')
}
