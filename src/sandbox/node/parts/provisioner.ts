import type {NodePaths} from '../paths.ts'
import {PROVISIONER} from '../storage-class.ts'
import type {Part} from './part.ts'

/** Returns the program that makes and removes the directories of claims. */
export function provisioner(paths: NodePaths, binary: string): Part {
  return {
    argv: [binary, '-kubeconfig', paths.kubeconfig, '-name', PROVISIONER, '-directory', paths.volumes],
    directories: [paths.volumes],
  }
}
