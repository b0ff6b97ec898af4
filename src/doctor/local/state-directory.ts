import {access, constants, statfs} from 'node:fs/promises'
import {KkError} from '../../base/errors.ts'
import {makeDirectory} from '../../state/files/make-directory.ts'
import type {Check, Found} from '../finding.ts'

/** The free space below which a journal may stop in the middle of a run, in bytes. */
const ENOUGH_BYTES = 100 * 2 ** 20

/** Checks that the directory in which kk writes the journals of its runs can be written and has room. */
export const stateDirectoryCheck: Check = {
  name: 'state-directory',
  needs: 'nothing',
  fine: 'the directory of journals can be written, and has room',
  async find({directory}) {
    try {
      await makeDirectory(directory, {mode: 0o700})
      await access(directory, constants.W_OK | constants.X_OK)
      const {bavail, bsize} = await statfs(directory)
      return judgeRoom(directory, bavail * bsize)
    } catch (error) {
      const {code} = (error instanceof KkError ? error.cause : error) as NodeJS.ErrnoException
      return judgeUnwritable(directory, code ?? 'unknown')
    }
  },
}

export function judgeUnwritable(directory: string, code: string): readonly Found[] {
  const mend = code === 'EACCES' ? `chmod u+rwx ${directory}` : 'export XDG_STATE_HOME=$(mktemp -d)'
  const what = `${directory} cannot be written (${code}): no run can keep its journal there, and none will start`
  return [{level: 'problem', what, advice: mend}]
}

export function judgeRoom(directory: string, free: number): readonly Found[] {
  if (free >= ENOUGH_BYTES) return []
  const what = `the disk of ${directory} has only ${Math.floor(free / 2 ** 20)} MiB left: a run goes on without its journal when it is full`
  return [
    {
      level: 'warning',
      what,
      advice: `du --all --human-readable ${directory} | sort --human-numeric-sort | tail`,
    },
  ]
}
