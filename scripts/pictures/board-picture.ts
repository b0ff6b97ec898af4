import {BoardView} from '../../src/report/run/board.ts'
import {goodRun} from '../../test/report/support/all-in-one.ts'
import {handClock, START} from '../../test/report/support/clock.ts'
import {createScreen} from '../../test/report/support/screen.ts'
import {showTo} from '../../test/report/support/show.ts'
import {terminalSvg} from './terminal-svg.ts'

const SECOND = 36.3
const COMMAND = '\u001b[32m$\u001b[39m kk deploy environments/all-in-one.yaml --sandbox --yes\n'

/** The board in the middle of a recorded deploy of the six services. */
export async function boardPicture(): Promise<string> {
  const screen = createScreen(100, 24)
  const clock = handClock()
  screen.stream.write(COMMAND)
  const board = new BoardView({stream: screen.stream, level: 1, clock})
  const show = showTo(board)
  for (const event of goodRun()) {
    const second = (event.at - START) / 1000
    if (second > SECOND) break
    show(event)
    // listr2 updates its renderer in later microtasks.
    await new Promise((resolve) => setImmediate(resolve))
    clock.tick(second)
  }
  clock.tick(SECOND)
  await screen.rows()
  const picture = terminalSvg(screen.terminal)
  await board.close()
  return picture
}
