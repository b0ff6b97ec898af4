/** Returns a float as `yaml.dump` writes it: Python's `repr`, with a decimal point before every exponent. */
export function pythonFloat(value: number): string {
  if (Number.isNaN(value)) return '.nan'
  if (!Number.isFinite(value)) return value < 0 ? '-.inf' : '.inf'
  if (Object.is(value, -0)) return '-0.0'
  const [digits = '', power = '0'] = value.toExponential().split('e')
  const exponent = Number(power)
  if (value === 0 || (exponent >= -4 && exponent < 16)) return withPoint(String(value))
  const size = String(Math.abs(exponent)).padStart(2, '0')
  return `${withPoint(digits)}e${exponent < 0 ? '-' : '+'}${size}`
}

function withPoint(digits: string): string {
  return digits.includes('.') ? digits : `${digits}.0`
}
