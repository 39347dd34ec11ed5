import CLI
import Manifest

/// `runner validate`: reads the manifest, which checks it.
struct ValidateCommand {
  private let context: CommandContext

  init(_ arguments: CommandArguments) throws {
    context = try CommandContext(arguments)
  }

  func run() throws -> Int32 {
    let count = context.project.manifest.functions.count
    return try context.answer(["functions": count], text: "functions.json is valid: \(count) functions")
  }
}
