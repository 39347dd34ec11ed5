import CLinux
import Glibc
import Synchronization
import Testing

@testable import System

/// Lines for a reader that takes its time.
struct LineWriterTests {
  @Test func nobodyWaitsForASlowReaderAndTheLinesKeepTheirOrder() async throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe2(&ends, O_CLOEXEC) == 0)
    let (reading, writing) = (ends[0], ends[1])
    defer { ends.forEach { close($0) } }
    let writer = LineWriter(writing)
    let lines = (0..<200).map { "\($0) \(String(repeating: "x", count: 1_000))\n" }
    let whole = lines.joined()

    // More than a pipe holds: a caller that writes itself would wait here for ever.
    for line in lines { writer.write(line) }

    var read: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while read.count < whole.utf8.count {
      let count = Glibc.read(reading, &buffer, buffer.count)
      try #require(count > 0)
      read += buffer[..<count]
    }
    await writer.finish(within: .seconds(120))
    #expect(String(decoding: read, as: UTF8.self) == whole)
  }

  @Test func theEndDoesNotWaitForAReaderThatNeverReads() async throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe2(&ends, O_CLOEXEC) == 0)
    let writer = LineWriter(ends[1])
    writer.write(String(repeating: "x", count: 1 << 20))

    await writer.finish(within: .milliseconds(50))

    var (count, buffer) = (0, [UInt8](repeating: 0, count: 65_536))
    while count < 1 << 20 { count += read(ends[0], &buffer, buffer.count) }
    await writer.finish(within: .seconds(120))
    ends.forEach { close($0) }
  }
}
