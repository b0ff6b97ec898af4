/** Takes the lock, says so, and keeps it until it is killed. */
import {acquireLock} from '../../../src/state/lock.ts'

await acquireLock(process.argv[2]!)
process.stdout.write('held\n')
setInterval(() => {}, 60_000)
