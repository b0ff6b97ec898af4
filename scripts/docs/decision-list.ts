import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'

/**
 * A link to each decision, newest first. A decision's file is `YYYY-MM-DD-its-name.md`; its first line is its
 * title.
 */
export function decisionList(directory: string): string {
  return readdirSync(directory)
    .filter((file) => /^\d{4}-\d{2}-\d{2}-.+\.md$/.test(file))
    .sort()
    .reverse()
    .map(
      (file) => `- ${file.slice(0, 10)}: [${titleOf(readFileSync(join(directory, file), 'utf8'))}](${file})`,
    )
    .join('\n')
}

function titleOf(page: string): string {
  const title = page.split('\n', 1)[0]!.replace(/^#\s+(\d{4}-\d{2}-\d{2}:\s*)?/, '')
  return title.slice(0, 1).toUpperCase() + title.slice(1)
}
