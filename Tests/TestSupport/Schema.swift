import Foundation

/// The tables of the apps, from the migrations in `Shared/Schema/apps`.
package enum Schema {
  /// The folder of the bundle's `functions.json`.
  package static let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path
  /// The folder of the migrations.
  package static let folder = "\(project)/Shared/Schema/apps"

  private static let all: [Migration] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.filter { $0.hasSuffix(".sql") }.sorted().map { file in
      let text = FileManager.default.contents(atPath: "\(folder)/\(file)") ?? Data()
      return Migration(name: String(file.dropLast(4)), sql: String(decoding: text, as: UTF8.self))
    }
  }()

  /// Runs before all migrations: what they need of tables that an app has made in its own way.
  package static var preparation: Migration { all[0] }

  /// Every migration after ``preparation``, in the order in which they are to run.
  package static var migrations: [Migration] { Array(all.dropFirst()) }

  /// FeedbackKit's own tables, as its server makes them before any migration.
  package static var feedbackKitTables: String {
    let text = migrations.first?.sql ?? ""
    let tables = text.split(separator: "\n\n").filter {
      $0.split(separator: "\n").contains { $0.hasPrefix("CREATE TABLE ") }
    }
    return tables.joined(separator: "\n").replacing("push_now()", with: "now()")
  }

  /// The text of a `functions.json` for another folder: with these migrations, also where it names none.
  package static func manifest(_ text: String) -> String {
    guard !text.contains("\"migrations\""), let start = text.firstIndex(of: "{") else {
      return text.replacing("\"Shared/Schema/apps\"", with: "\"\(folder)\"")
    }
    return text[...start] + "\"migrations\":[\"\(folder)\"]," + text[text.index(after: start)...]
  }
}

/// One step of the schema: many statements, to be run in one transaction.
package struct Migration: Sendable {
  /// The file's name without its ending; the leading number gives the order.
  package let name: String
  /// The statements.
  package let sql: String
}
