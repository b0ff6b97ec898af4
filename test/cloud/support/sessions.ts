import {execa, type ResultPromise} from 'execa'
import {type Instance, ssh} from '../../../scripts/cloud/instance.ts'

/** A program that prints a line several times a second, as long as an instance answers. */
export interface Session {
  readonly child: ResultPromise
  /** When its lines came, in milliseconds since the epoch. */
  readonly lines: number[]
  isOver: boolean
}

function open([command, ...args]: readonly [string, ...string[]]): Session {
  const child = execa(command, args, {stdin: 'ignore', buffer: false, reject: false})
  const session: Session = {child, lines: [], isOver: false}
  child.stdout.on('data', () => session.lines.push(Date.now()))
  void child.finally(() => {
    session.isOver = true
  })
  return session
}

/** An SSH session that prints a line five times a second. */
export function openSession(guest: Instance): Session {
  return open(ssh(guest, 'while echo here; do sleep 0.2; done'))
}

/** Pings five times a second. */
export function openPing({address}: Instance): Session {
  return open(['ping', '-i', '0.2', address])
}

/** The longest time between two lines of a session, or since the last one, in seconds. */
export function longestGap(lines: readonly number[]): number {
  const times = [...lines, Date.now()]
  return Math.max(...lines.map((line, index) => times[index + 1]! - line)) / 1000
}
