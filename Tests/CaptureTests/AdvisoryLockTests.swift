import FoundationEssentials
import Postgres
import TestSupport
import Testing

@testable import Capture

/// The numbers of advisory locks, which functions in SQL and statements in Swift share.
struct AdvisoryLockTests {
  private static let locks = [AdvisoryLock.change, AdvisoryLock.sleep, AdvisoryLock.life].map(\.text)

  @Test func everyNumberInSQLIsOneThatSwiftDeclaresAndTheFirstFileExplains() {
    var used: Set<String> = []
    for migration in SchemaMigration.runner {
      for call in migration.sql.matches(of: /advisory\w*\((\w+)/) { used.insert(String(call.1)) }
    }

    #expect(used == Set(Self.locks))
    for lock in Self.locks { #expect(SchemaMigration.runner[0].sql.contains("--   \(lock)  "), "\(lock)") }
  }

  @Test func swiftNamesEachInOnePlace() throws {
    for folder in ["Runner", "Shared", "Functions"] {
      let root = "\(Schema.project)/\(folder)"
      for file in try FileManager.default.subpathsOfDirectory(atPath: root) where file.hasSuffix(".swift") {
        let text = String(decoding: FileManager.default.contents(atPath: "\(root)/\(file)") ?? Data(), as: UTF8.self)
        let named = Self.locks.filter { text.contains($0) }
        #expect(named.isEmpty || file == "Capture/AdvisoryLock.swift", "\(file)")
      }
    }
  }
}
