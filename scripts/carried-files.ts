import {globSync, readdirSync, readFileSync, statSync} from 'node:fs'
import {join} from 'node:path'
import type {OptionList} from '../src/prepare/settings/option-lists.ts'
import {type CarriedFile, CONCEPTS} from '../src/state/assets.ts'

/**
 * kk's own charts, environments, Containerfiles, lists of options, collectors of `kk audit` and the page of
 * `kk help`'s terms, as the executable embeds them: by path.
 */
export function carriedFiles(root: string): Record<string, CarriedFile> {
  const files: Record<string, CarriedFile> = {}
  files[CONCEPTS] = {text: readFileSync(join(root, CONCEPTS), 'utf8'), mode: 0o644}
  for (const folder of [
    'charts',
    'environments',
    'images',
    'src/operator/install/chart',
    'src/audit/collectors',
  ]) {
    const entries = readdirSync(join(root, folder), {recursive: true, withFileTypes: true})
    for (const entry of entries.filter((each) => each.isFile())) {
      const path = join(entry.parentPath, entry.name)
      const mode = statSync(path).mode & 0o100 ? 0o755 : 0o644
      files[path.slice(root.length + 1)] = {text: readFileSync(path, 'utf8'), mode}
    }
  }
  for (const path of globSync('options/*/*.json', {cwd: root}))
    files[path] = {text: compactOptions(readFileSync(join(root, path), 'utf8')), mode: 0o644}
  return Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Returns a list of options without their types and defaults, which take more than half of it. */
function compactOptions(text: string): string {
  const {options} = JSON.parse(text) as {readonly options: OptionList}
  const sections = Object.entries(options).map(([section, each]) => {
    const names = Object.entries(each).map(([name, {formerly, removed}]) => [name, {formerly, removed}])
    return [section, Object.fromEntries(names)]
  })
  return JSON.stringify({options: Object.fromEntries(sections)})
}
