import {join} from 'node:path'
import {REGISTRY_PORT} from '../network.ts'
import type {NodePaths} from '../paths.ts'
import type {Part} from './part.ts'

/** Returns Debian's docker-registry on loopback; pods reach it by the forwarder. */
export function registry(paths: NodePaths): Part {
  const config = join(paths.etc, 'registry.json')
  return {
    argv: ['docker-registry', 'serve', config],
    directories: [paths.registry],
    files: {
      // JSON is YAML.
      [config]: JSON.stringify({
        version: 0.1,
        log: {level: 'warn', accesslog: {disabled: true}},
        storage: {
          filesystem: {rootdirectory: paths.registry},
          delete: {enabled: true},
          maintenance: {uploadpurging: {enabled: false}},
        },
        http: {addr: `127.0.0.1:${REGISTRY_PORT}`, relativeurls: true},
      }),
    },
  }
}
