import Foundation
import TestSupport
import Testing

@testable import Export
@testable import Manifest

/// A program of others that says whether an export is right.
///
/// `Tests/run` installs them. A test whose program is missing is skipped, and says so.
struct Validator {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path
  private static let folders = [
    "\(root)/.build/validators/bin", BuiltExecutables.directory, "/usr/local/bin", "/usr/bin",
  ]

  static let repository = root
  static let schemas = "\(root)/Tests/ExportTests/Schemas"

  static func path(of name: String) -> String? {
    folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// Runs it; the output of one that is content is of no interest.
  static func run(_ name: String, _ arguments: [String]) async throws -> BuiltExecutables.Outcome {
    try await BuiltExecutables.run(
      try #require(path(of: name)), arguments,
      environment: ["HOME": "/nonexistent", "PYTHONWARNINGS": "ignore", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"],
      timeout: .seconds(300))
  }
}

extension Trait where Self == ConditionTrait {
  static func needs(_ program: String) -> Self {
    .enabled(if: Validator.path(of: program) != nil, "Not run, because \(program) is missing: Tests/run installs it.")
  }
}

/// Bundles to export.
enum Bundle {
  /// The project's own.
  static func own() throws -> Manifest { try Manifest(directory: Validator.repository) }

  static func of(_ functions: String) throws -> Manifest {
    try Manifest(text: Array(#"{"functions":{\#(functions)}}"#.utf8), file: "functions.json", directory: "/bundle")
  }

  /// One with what the project's own lacks: time zones, nicknames, scripts, a webhook, a function elsewhere.
  static func rich() throws -> Manifest {
    try of(
      """
      "report": {"triggers": [{"schedule": "30 7 * * mon-fri", "timezone": "America/New_York", "catchup": "all"},
        {"schedule": "@daily"}], "environment": ["DATABASE_URL", "REPORT_TOKEN?", "REPORT_KEY_PATH?"]},
      "hook": {"triggers": [{"http": "signature", "secret": "HOOK_SECRET"}], "executable": "functions/hook.py"},
      "row": {"triggers": [{"table": "orders", "events": ["INSERT"]}], "key": "customer_id", "onFailure": "block",
        "timeout": 900},
      "wake": {"triggers": [{"notify": "orders"}]},
      "billing": {"url": "https://${BILLING_HOST}/events", "engine": "knative",
        "headers": {"Authorization": "Bearer ${BILLING_TOKEN}"}, "triggers": [{"table": "bills", "events": ["INSERT"]}]}
      """)
  }

  /// A bundle that every engine can express.
  static func rich(for engine: ExportEngine) throws -> Manifest {
    var manifest = try rich()
    if engine == .openfaas { manifest.functions.removeAll { $0.name == "report" } }
    return manifest
  }
}

/// An export in a folder of its own.
struct WrittenExport {
  let folder: TemporaryDirectory
  let files: [ExportedFile]

  init(_ engine: ExportEngine, of manifest: Manifest) throws {
    try self.init(try engine.files(of: try Deployment(of: manifest)))
  }

  init(_ files: [ExportedFile]) throws {
    (folder, self.files) = (try TemporaryDirectory(), files)
    _ = try ExportFolder(folder.path).write(files, force: false)
  }

  func path(_ file: String) -> String { "\(folder.path)/\(file)" }

  func text(_ file: String) -> String { files.first { $0.path == file }?.text ?? "" }

  /// The paths of the files with this ending.
  func paths(_ ending: String) -> [String] { files.map(\.path).filter { $0.hasSuffix(ending) }.map(path) }
}
