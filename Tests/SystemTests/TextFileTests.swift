import FoundationEssentials
import TestSupport
import Testing

@testable import System

struct TextFileTests {
  @Test func manyReplaceItAtOnceAndNoneFails() async throws {
    let folder = try TemporaryDirectory()
    let path = "\(folder.path)/state"

    try await withThrowingTaskGroup { group in
      for number in 0..<200 {
        group.addTask { @concurrent in try TextFile.replace(path, with: "\(number)") }
      }
      try await group.waitForAll()
    }

    #expect(TextFile.read(path).flatMap { Int($0) }.map((0..<200).contains) == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["state"])
  }

  @Test func manyMakeItAtOnceAndAllFindTheSame() async throws {
    let folder = try TemporaryDirectory()
    let path = "\(folder.path)/key"

    let found = try await withThrowingTaskGroup { group in
      for number in 0..<200 {
        group.addTask { @concurrent in
          try TextFile.make(path, with: "\(number)")
          return TextFile.read(path)
        }
      }
      return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
    }

    #expect(found.count == 1 && found != [nil] && found != [""])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key"])
  }
}
