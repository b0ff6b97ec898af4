import {readFileSync, writeFileSync} from 'node:fs'

/** Offsets in ELF of 64 bits and little-endian (elf(5)). */
const HEADER = {programs: 32, sections: 40, programSize: 54, programCount: 56, sectionCount: 60, names: 62}
const PROGRAM = {offset: 8, size: 32}

/**
 * Writes an executable without the sections that are not loaded: symbols and debug information. Debian's
 * strip supports only its own architecture, and its output differs between versions.
 */
export function writeStripped(from: string, to: string): void {
  const file = readFileSync(from)
  if (file.readUInt32BE(0) !== 0x7f454c46 || file.readUInt16BE(4) !== 0x0201)
    throw new Error(`${from}: expected an executable (ELF) of 64 bits, little-endian`)
  const number = (at: number) => Number(file.readBigUInt64LE(at))
  const programs = Array.from(
    {length: file.readUInt16LE(HEADER.programCount)},
    (_, index) => number(HEADER.programs) + index * file.readUInt16LE(HEADER.programSize),
  )
  const end = Math.max(...programs.map((at) => number(at + PROGRAM.offset) + number(at + PROGRAM.size)))
  const stripped = file.subarray(0, end)
  stripped.writeBigUInt64LE(0n, HEADER.sections)
  stripped.writeUInt16LE(0, HEADER.sectionCount)
  stripped.writeUInt16LE(0, HEADER.names)
  writeFileSync(to, stripped, {mode: 0o755})
}
