import {pathPattern} from '../../charts/files/path-pattern.ts'
import {KkError} from '../../errors.ts'
import type {ContainerConfig, CopiedFile} from './container-config.ts'

/** Where kolla_start looks for its sources. */
const MOUNT = '/var/lib/kolla/config_files/'

/**
 * The files of a directory that its `config.json` has copied, by their names below it: each source is a file, a directory
 * or a pattern. Throws `KK_KOLLA` for a source that is nowhere, which would end the container.
 */
export function usedFiles(
  file: string,
  {config_files}: ContainerConfig,
  names: readonly string[],
): readonly string[] {
  const used = config_files.flatMap((entry) => {
    const found = names.filter((name) => isCopied(entry, name))
    if (found.length === 0 && !entry.optional) throw missing(file, entry)
    return found
  })
  return [...new Set(used)].sort()
}

/** A source by its name below kolla's directory. */
export function sourceName({source}: Pick<CopiedFile, 'source'>): string {
  return source.replace(MOUNT, '').replace(/\/+$/, '')
}

/** A pattern may also be of a directory above. */
function isCopied({source}: CopiedFile, name: string): boolean {
  if (!source.startsWith(MOUNT)) return false
  const pattern = pathPattern(sourceName({source}))
  const steps = name.split('/')
  return steps.some((_, at) => pattern?.test(steps.slice(0, at + 1).join('/')))
}

function missing(file: string, {source}: CopiedFile): KkError {
  if (!source.startsWith(MOUNT))
    return new KkError('KK_KOLLA', `${file}: expected sources below ${MOUNT}, got ${source}`, {
      hint: 'the pod has nothing else of the machine: put the file into the directory, or make it optional',
    })
  return new KkError('KK_KOLLA', `${file} has ${source} copied, which is not in its directory`, {
    hint: 'let kolla-ansible generate it again (kolla-ansible genconfig), or make it optional',
  })
}
