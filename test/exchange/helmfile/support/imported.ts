import {join} from 'node:path'
import {importHelmfile} from '../../../../src/exchange/helmfile/read.ts'

interface Import {
  readonly text: string
  /** The directory of the helmfile. */
  readonly directory: string
  readonly isBuilt?: boolean
  readonly showSecrets?: boolean
}

/** Returns what kk imports of a helmfile. */
export function importText({text, directory, isBuilt = false, showSecrets = false}: Import) {
  return importHelmfile({file: join(directory, 'helmfile.yaml'), text, isBuilt, showSecrets, name: 'shop'})
}

/** Returns a helmfile of one release, as helmfile writes it, with what the file itself says. */
export function helmfileOf(release: object, file: object = {}): string {
  const stated = {name: 'web', namespace: 'front', chart: './charts/web', ...release}
  return JSON.stringify({releases: [stated], ...file})
}
