import {hostname} from 'node:os'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import type {Reservation} from '../../kubernetes/reservations/reservation.ts'
import {identifyProcess} from '../../state/processes/process-identity.ts'
import type {Check, CheckFinding} from '../finding.ts'

/** Finds reservations of dead runs: they prevent the removal of releases that the runs were about to use. */
export const reservationsCheck: Check = {
  name: 'intents',
  okMessage: 'no reservations of dead runs',
  async run({cluster, now, kubectl}) {
    const reservations = await cluster.diagnosis.reservations()
    const findings = reservations.map(async (reservation) =>
      judgeReservation({reservation, now, isDead: await isGone(reservation.operator), kubectl}),
    )
    return (await Promise.all(findings)).flat()
  },
}

interface ReservationInputs {
  readonly reservation: Reservation
  readonly now: number
  readonly isDead: boolean
  readonly kubectl: string
}

function judgeReservation({reservation, now, isDead, kubectl}: ReservationInputs): readonly CheckFinding[] {
  const {name, required, dependent, operator, deadline} = reservation
  if (!isDead && deadline > now) return []
  const why = isDead
    ? 'whose process is gone'
    : `whose deadline passed at ${new Date(deadline).toISOString()}`
  const what = `${required} counts as used by ${dependent}, which ${operator}, ${why}, was about to install; the next run of ${dependent} also removes the reservation`
  return [{level: 'warning', what, advice: `${kubectl} delete configmap ${name} --namespace ${KK_NAMESPACE}`}]
}

/** Matches how runs name themselves: `user@host (process 42, run …)`. */
const HOLDER = /@(?<host>\S+) \(process (?<pid>\d+),/

/** Returns true if the holder was a process of this machine that has ended; false if that is unknown. */
async function isGone(holder: string): Promise<boolean> {
  const {host, pid} = HOLDER.exec(holder)?.groups ?? {}
  if (host !== hostname() || pid === undefined) return false
  return !(await runs(Number(pid)))
}

/**
 * Returns true if a process with this ID is running; another process may have reused the ID, which is the
 * safe error.
 */
async function runs(pid: number): Promise<boolean> {
  return (await identifyProcess(pid)) !== undefined
}
