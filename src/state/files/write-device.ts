import {constants} from 'node:fs'
import {type FileHandle, open, writeFile} from 'node:fs/promises'
import {setTimeout as delay} from 'node:timers/promises'

const PAUSE_MILLISECONDS = 50

/** Writes to a device, or to a FIFO once somebody reads it. */
export async function writeDevice(path: string, text: string): Promise<void> {
  const held = await openOnceRead(path)
  try {
    await writeFile(path, text, {flag: constants.O_WRONLY})
  } finally {
    await held.close()
  }
}

/** Opening a FIFO that nobody reads would hold a thread of node for good, and no signal but SIGKILL could end kk. */
async function openOnceRead(path: string): Promise<FileHandle> {
  while (true) {
    try {
      return await open(path, constants.O_WRONLY | constants.O_NONBLOCK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error
      await delay(PAUSE_MILLISECONDS)
    }
  }
}
