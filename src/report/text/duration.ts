/** Returns a duration as text: `< 1 s`, `12 s`, `2 m 05 s`, `1 h 02 m`. */
export function durationText(seconds: number): string {
  if (seconds < 1) return '< 1 s'
  const whole = Math.floor(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} m ${twoDigits(whole % 60)} s`
  return `${Math.floor(whole / 3600)} h ${twoDigits(Math.floor((whole % 3600) / 60))} m`
}

/** Returns the time since a run began, for the start of a line: `00:07`, `12:30`, `1:02:03`. */
export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const minutes = `${twoDigits(Math.floor((whole % 3600) / 60))}:${twoDigits(whole % 60)}`
  return whole < 3600 ? minutes : `${Math.floor(whole / 3600)}:${minutes}`
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
