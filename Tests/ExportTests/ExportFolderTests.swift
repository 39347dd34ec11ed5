import Foundation
import FunctionKit
import TestSupport
import Testing

@testable import Export

/// Nothing of somebody else's is lost, and the difference to the last export can be seen.
@Suite(.heavy)
struct ExportFolderTests {
  private let place: TemporaryDirectory
  private let folder: ExportFolder
  private let files = [ExportedFile("a.yaml", "a: 1\n"), ExportedFile("below/b.sh", "#!/bin/sh")]

  init() throws {
    place = try TemporaryDirectory()
    folder = ExportFolder("\(place.path)/deploy/x")
  }

  private func text(_ file: String) -> String? {
    try? String(contentsOfFile: "\(folder.path)/\(file)", encoding: .utf8)
  }

  @Test func writesWhatIsNewAndLeavesWhatIsTheSame() throws {
    let first = try folder.write(files, force: false)
    let second = try folder.write([ExportedFile("a.yaml", "a: 2"), files[1]], force: false)

    #expect(first.written == ["a.yaml", "below/b.sh"] && first.unchanged == [])
    #expect(second.written == ["a.yaml"] && second.unchanged == ["below/b.sh"])
    #expect(text("a.yaml") == "a: 2\n" && text("below/b.sh") == "#!/bin/sh\n")
    #expect(access("\(folder.path)/below/b.sh", X_OK) == 0)
  }

  @Test(arguments: [true, false]) func aFileOfSomebodyElseIsNotReplaced(_ wasExported: Bool) throws {
    if wasExported { _ = try folder.write(files, force: false) }
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try "mine\n".write(toFile: "\(folder.path)/a.yaml", atomically: true, encoding: .utf8)
    let changed = [ExportedFile("a.yaml", "a: 2"), ExportedFile("c.yaml", "c: 1")]

    #expect { try folder.write(changed, force: false) } throws: {
      ($0 as? FunctionError)?.code == .usage && "\($0)".contains("a.yaml") && !"\($0)".contains("c.yaml")
    }
    #expect(text("a.yaml") == "mine\n" && text("c.yaml") == nil)

    _ = try folder.write(changed, force: true)
    #expect(text("a.yaml") == "a: 2\n")
  }

  @Test func aFileThatIsNoLongerAPartGoesUnlessSomebodyHasChangedIt() throws {
    _ = try folder.write(files + [ExportedFile("c", "c")], force: false)
    try "mine\n".write(toFile: "\(folder.path)/c", atomically: true, encoding: .utf8)

    let result = try folder.write([ExportedFile("d", "d")], force: false)

    #expect(result.removed == ["a.yaml", "below/b.sh"])
    #expect(text("a.yaml") == nil && text("c") == "mine\n")
  }

  @Test func anExportThatEndedHalfwayIsStillRecognised() throws {
    _ = try folder.write([files[0]], force: false)
    try "".write(toFile: "\(folder.path)/below", atomically: true, encoding: .utf8)
    let second = [ExportedFile("a.yaml", "a: 2"), files[1]]
    #expect(throws: (any Error).self) { try folder.write(second, force: false) }
    #expect(text("a.yaml") == "a: 2\n")
    try FileManager.default.removeItem(atPath: "\(folder.path)/below")

    let third = try folder.write([ExportedFile("a.yaml", "a: 3"), files[1]], force: false)

    #expect(third.written == ["a.yaml", "below/b.sh"])
  }

  @Test func aListThatNamesAPlaceElsewhereRemovesNothingThere() throws {
    _ = try folder.write(files, force: false)
    let other = try place.write("x\n", to: "other")
    let list = "\(SHA256.hex(Array("x\n".utf8)))  ../../other\n"
    try list.write(toFile: "\(folder.path)/.runner-export", atomically: true, encoding: .utf8)

    #expect(try folder.write(files, force: false).removed == [])
    #expect(access(other, F_OK) == 0)
  }

  @Test func theDifferenceIsThatOfDiff() async throws {
    let old = (1...30).map { "line \($0)" }
    var new = old
    new[3] = "changed"
    new.remove(at: 20)
    new.insert("added", at: 28)
    let (oldText, newText) = (old.joined(separator: "\n") + "\n", new.joined(separator: "\n") + "\n")
    try place.write(oldText, to: "old")
    try place.write(newText, to: "new")
    let expected = try await BuiltExecutables.run(
      "/usr/bin/diff", ["-u", "--label", "a/f", "--label", "b/f", "\(place.path)/old", "\(place.path)/new"])

    #expect(UnifiedDiff.text("f", from: oldText, to: newText) == expected.stdout)
    #expect(UnifiedDiff.text("f", from: oldText, to: oldText) == "")
  }

  @Test func newAndRemovedFilesAreADifference() throws {
    _ = try folder.write(files + [ExportedFile("gone", "1\n2")], force: false)
    let new = [ExportedFile("a.yaml", "a: 2"), files[1], ExportedFile("new", "1\n2\n3")]

    let difference = folder.difference(to: new)

    #expect(difference.contains("--- a/a.yaml\n+++ b/a.yaml\n@@ -1 +1 @@\n-a: 1\n+a: 2\n"))
    #expect(difference.contains("--- /dev/null\n+++ b/new\n@@ -0,0 +1,3 @@\n+1\n+2\n+3\n"))
    #expect(difference.contains("--- a/gone\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-1\n-2\n"))
    #expect(folder.difference(to: files + [ExportedFile("gone", "1\n2")]) == "")
  }
}
