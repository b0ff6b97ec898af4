import {delimiter, join, resolve} from 'node:path'
import {isExecutable} from './is-executable.ts'

/** Returns the path of a program in the directories of a PATH; undefined if none contains it. */
export function onPath(name: string, path = ''): string | undefined {
  const directories = path.split(delimiter).filter((directory) => directory !== '')
  return directories.map((directory) => resolve(join(directory, name))).find(isExecutable)
}
