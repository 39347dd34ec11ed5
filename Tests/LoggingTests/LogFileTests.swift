import Foundation
import FunctionKit
import TestSupport
import Testing

@testable import Logging

struct LogFileTests {
  private func line(_ number: Int) -> ArraySlice<UInt8> {
    Array(#"{"message":"\#(number)","level":"info"}"#.utf8)[...]
  }

  private func numbers(_ lines: [LogLine]) -> [Int] {
    lines.compactMap { line in
      (try? RawJSON(validating: line.text))?["message"]?.stringValue.flatMap(Int.init)
    }
  }

  private func write(_ numbers: ClosedRange<Int>, to directory: String, largest: Int = LogFile.largest) async {
    let file = LogFile(directory: directory, largest: largest)
    for number in numbers { file.append(line(number), from: "note") }
    await file.finish()
  }

  @Test func linesComeBackInOrder() async throws {
    let folder = try TemporaryDirectory()
    await write(1...300, to: folder.path)

    var reader = LogReader(directory: folder.path)
    let last = reader.last(5) { _ in true }

    #expect(numbers(last) == [296, 297, 298, 299, 300])
    let mode = try FileManager.default.attributesOfItem(atPath: LogFile.path(folder.path))[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func aLongFileIsRenamedAndReadWithTheNewOne() async throws {
    let folder = try TemporaryDirectory()
    await write(1...60, to: folder.path, largest: 2_000)

    var reader = LogReader(directory: folder.path)
    let all = numbers(reader.last(1_000) { _ in true })

    let sizes = try [LogFile.path(folder.path), LogFile.oldPath(folder.path)].map {
      try FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int ?? 0
    }
    #expect(sizes.allSatisfy { $0 > 0 && $0 < 2_100 })
    #expect(all.last == 60)
    #expect(all == Array((all.first ?? 0)...60))
    #expect(all.count > 30)
  }

  @Test func followingGoesOnAcrossRenaming() async throws {
    let folder = try TemporaryDirectory()
    await write(1...3, to: folder.path, largest: 500)
    var reader = LogReader(directory: folder.path)
    var seen = numbers(reader.last(10) { _ in true })

    for start in stride(from: 4, to: 40, by: 4) {
      await write(start...start + 3, to: folder.path, largest: 500)
      seen += numbers(reader.next())
    }

    #expect(seen == Array(1...39))
  }

  @Test func onlyWhatConcernsAProgramIsShown() async throws {
    let folder = try TemporaryDirectory()
    let file = LogFile(directory: folder.path)
    file.append(line(1), from: "echo")
    file.append(Array(#"{"message":"2","function":"echo"}"#.utf8)[...], from: "runner")
    file.append(line(3), from: "note")
    file.append(Array("plain words".utf8)[...], from: "echo")
    await file.finish()

    var reader = LogReader(directory: folder.path)
    let lines = reader.last(10) { $0.concerns("echo") }

    #expect(numbers(lines) == [1, 2])
    #expect(lines.count == 3)
    #expect(lines.last?.readable.hasSuffix("echo              plain words") == true)
    #expect(lines.first?.readable.hasSuffix("echo              1") == true)
  }

  @Test func aFolderThatIsNotThereDisturbsNobody() async throws {
    let folder = try TemporaryDirectory()
    let file = LogFile(directory: "\(folder.path)/nowhere")
    file.append(line(1), from: "note")
    await file.finish()

    try folder.write("", to: "log.ndjson", mode: 0o600)
    try folder.write("{\"torn", to: "log.1.ndjson")
    var reader = LogReader(directory: folder.path)
    #expect(reader.last(10) { _ in true }.isEmpty)
  }

  @Test func aFullDiskCutsNoLaterLine() async throws {
    let folder = try TemporaryDirectory()
    try FileManager.default.createSymbolicLink(atPath: LogFile.path(folder.path), withDestinationPath: "/dev/full")
    await write(1...3, to: folder.path)
    try FileManager.default.removeItem(atPath: LogFile.path(folder.path))
    await write(4...5, to: folder.path)
    var reader = LogReader(directory: folder.path)
    #expect(numbers(reader.last(10) { _ in true }) == [4, 5])
  }
}
