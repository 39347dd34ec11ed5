import Glibc
import TestSupport
import Testing

@testable import System

struct FileWatchTests {
  private let start = ContinuousClock.now
  private let folder: TemporaryDirectory
  private let old: FileStamp
  private let new: FileStamp

  init() throws {
    folder = try TemporaryDirectory()
    old = try #require(FileStamp(folder.write("old", to: "a", mode: 0o700)))
    new = try #require(FileStamp(folder.write("newer", to: "a", mode: 0o700)))
  }

  /// The answers of a watch that knows the first files to each of the others, by milliseconds after the start.
  private func answers(
    _ known: [String: FileStamp], _ looks: [(milliseconds: Int, files: [String: FileStamp])]
  ) -> [Bool] {
    var watch = FileWatch(known)
    return looks.map { watch.look($0.files, at: start + .milliseconds($0.milliseconds)) }
  }

  @Test func aChangeCountsOnceWhenTheFilesHaveRested() {
    let answers = answers(
      ["a": old], [(0, ["a": old]), (250, ["a": new]), (500, ["a": new]), (750, ["a": new]), (1_000, ["a": new])])

    #expect(answers == [false, false, false, true, false])
  }

  @Test func whileSomethingChangesNothingCounts() {
    let both = ["a": new, "b": new]

    let answers = answers(["a": old, "b": old], [(0, ["a": new, "b": old]), (400, both), (600, both), (900, both)])

    #expect(answers == [false, false, false, true])
  }

  @Test func aFileThatGoesCountsWhenItIsBackAsAnother() {
    let answers = answers(["a": old], [(0, [:]), (1_000, [:]), (2_000, ["a": new]), (2_500, ["a": new])])

    #expect(answers == [false, false, false, true])
  }

  @Test func aFileThatIsBackAsItWasOrSeenForTheFirstTimeIsNoChange() {
    let later = ["a": old, "b": new]

    #expect(answers(["a": old], [(0, [:]), (1_000, later), (2_000, later)]) == [false, false, false])
  }

  @Test func aFileThatIsReplacedHasAnotherStamp() throws {
    let before = FileStamp(try folder.write("same", to: "b"))
    let other = try folder.write("same", to: "c")

    #expect(rename(other, "\(folder.path)/b") == 0)

    #expect(FileStamp("\(folder.path)/b") != before)
    #expect(FileStamp(other) == nil)
  }

  @Test func onlyWhatCanBeRunIsAProgram() throws {
    #expect(old.isProgram)
    #expect(try FileStamp(folder.write("text", to: "b"))?.isProgram == false)
    #expect(try FileStamp(folder.write("", to: "c", mode: 0o700))?.isProgram == false)
    #expect(FileStamp(folder.path)?.isProgram == false)
  }
}
