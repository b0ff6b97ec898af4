/** Whether a live board can be drawn on this stream: a terminal that knows how to move its cursor. */
export function canDrawLive(stream: {readonly isTTY?: boolean}, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && env.TERM !== 'dumb' && env.TERM !== ''
}
