import FunctionKit
import Glibc
import TestSupport
import Testing

@testable import PushEmulator

struct PushJournalTests {
  @Test func isReadBackInOrder() throws {
    let directory = try TemporaryDirectory()
    let journal = try PushJournal(path: "\(directory.path)/p")
    for seq in 1...3 { journal.append(Samples.record(seq)) }
    try journal.flush()

    #expect(try PushJournal(path: "\(directory.path)/p").load().map(\.seq) == [1, 2, 3])
  }

  @Test func aLineThatACrashCutOffIsPassedOver() throws {
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/p"
    let first = try PushJournal(path: path)
    first.append(Samples.record(1))
    try first.flush()
    let text = try #require(try Files.contentsIfThere(of: path))
    try directory.write(String(decoding: text + text.prefix(20), as: UTF8.self), to: "p")

    let second = try PushJournal(path: path)
    #expect(try second.load().map(\.seq) == [1])
    second.append(Samples.record(2))
    try second.flush()

    #expect(try PushJournal(path: path).load().map(\.seq) == [1, 2])
  }

  @Test func growsNoFurtherThanTwiceTheHistory() throws {
    let directory = try TemporaryDirectory()
    let journal = try PushJournal(path: "\(directory.path)/p", capacity: 100)
    let record = Samples.record(1)
    for _ in 1...5 {
      for _ in 1...50 { journal.append(record) }
      try journal.flush()
    }

    #expect(try PushJournal(path: "\(directory.path)/p").load().count == 150)
  }

  @Test func aPlaceThatCannotBeWrittenIsAnError() {
    let error = #expect(throws: FunctionError.self) { try PushJournal(path: "/nonexistent/p") }
    #expect(error?.message == "Could not open /nonexistent/p: No such file or directory.")
  }

  @Test func nothingIsWrittenWhereALinkLeads() throws {
    let directory = try TemporaryDirectory()
    let kept = try directory.write("kept\n", to: "kept")
    try #require(symlink(kept, "\(directory.path)/p") == 0)

    #expect(throws: FunctionError.self) { try PushJournal(path: "\(directory.path)/p") }
    #expect(try Files.contentsIfThere(of: kept) == Array("kept\n".utf8))
  }
}
