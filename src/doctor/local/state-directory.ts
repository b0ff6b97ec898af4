import {access, constants, statfs} from 'node:fs/promises'
import {KkError} from '../../base/errors.ts'
import {makeDirectory} from '../../state/files/make-directory.ts'
import type {Check, CheckFinding} from '../finding.ts'

/** The minimum free space for the journal of a run, in bytes. */
const MIN_FREE_BYTES = 100 * 2 ** 20

/** Checks that the directory for the journals of runs is writable and has free space. */
export const stateDirectoryCheck: Check = {
  name: 'state-directory',
  needs: 'nothing',
  okMessage: 'the journal directory is writable and has free space',
  async run({directory}) {
    try {
      await makeDirectory(directory, {mode: 0o700})
      await access(directory, constants.W_OK | constants.X_OK)
      const {bavail, bsize} = await statfs(directory)
      return judgeDiskSpace(directory, bavail * bsize)
    } catch (error) {
      const {code} = (error instanceof KkError ? error.cause : error) as NodeJS.ErrnoException
      return judgeUnwritable(directory, code ?? 'unknown')
    }
  },
}

export function judgeUnwritable(directory: string, code: string): readonly CheckFinding[] {
  const repair = code === 'EACCES' ? `chmod u+rwx ${directory}` : 'export XDG_STATE_HOME=$(mktemp -d)'
  const what = `${directory} cannot be written (${code}): no run can write its journal there, and none will start`
  return [{level: 'problem', what, advice: repair}]
}

export function judgeDiskSpace(directory: string, free: number): readonly CheckFinding[] {
  if (free >= MIN_FREE_BYTES) return []
  const what = `the disk of ${directory} has only ${Math.floor(free / 2 ** 20)} MiB free: when it is full, a run continues without its journal`
  return [
    {
      level: 'warning',
      what,
      advice: `du --all --human-readable ${directory} | sort --human-numeric-sort | tail`,
    },
  ]
}
