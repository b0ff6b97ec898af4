import {randomBytes} from 'node:crypto'
import {readFile, rm, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {imageArchive} from '../../../src/sandbox/node/pause-image.ts'

interface RandomImage {
  /** With the registry. */
  readonly reference: string
  readonly megabytes: number
  /** Where the node keeps its files. */
  readonly home: string
}

/**
 * Pushes busybox with so much beside it that cannot be compressed and is nowhere else: it has to be pulled.
 */
export async function pushRandomImage({reference, megabytes, home}: RandomImage): Promise<void> {
  const ctr = ['--address', join(home, 'node/containerd.sock'), '--namespace', 'random', 'images']
  const archive = join(home, `${reference.replaceAll(/\W/g, '-')}.tar`)
  const files = {'bin/busybox': await readFile('/bin/busybox'), data: randomBytes(megabytes * 1e6)}
  try {
    await writeFile(archive, await imageArchive({name: reference, files, entrypoint: ['/bin/busybox']}))
    await execa('ctr', [...ctr, 'import', archive])
    await execa('ctr', [...ctr, 'push', '--plain-http', reference])
    // What containerd has it would not pull again.
    await execa('ctr', [...ctr, 'remove', '--sync', reference])
  } finally {
    await rm(archive, {force: true})
  }
}
