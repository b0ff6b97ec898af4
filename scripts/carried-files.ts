import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'

/** kk's own charts, environments and Containerfiles, as the executable carries them: path → text. */
export function carriedFiles(root: string): Record<string, string> {
  const files: Record<string, string> = {}
  for (const folder of ['charts', 'environments', 'images']) {
    const entries = readdirSync(join(root, folder), {recursive: true, withFileTypes: true})
    for (const entry of entries.filter((each) => each.isFile())) {
      const path = join(entry.parentPath, entry.name)
      files[path.slice(root.length + 1)] = readFileSync(path, 'utf8')
    }
  }
  return Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)))
}
