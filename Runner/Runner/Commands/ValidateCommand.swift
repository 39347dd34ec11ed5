import CLI
import Manifest

/// `runner validate`: reading the manifest is the check.
struct ValidateCommand {
  private let context: CommandContext

  init(_ words: Words) throws {
    context = try CommandContext(words)
  }

  func run() throws -> Int32 {
    let count = context.project.manifest.functions.count
    return try context.answer(["functions": count], text: "functions.json is valid: \(count) functions")
  }
}
