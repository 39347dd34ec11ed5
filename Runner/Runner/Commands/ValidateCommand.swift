import CLI
import Manifest

/// `runner validate`: reads the manifest, which checks it.
enum ValidateCommand {
  static let spec = CommandSpec("validate", "check functions.json", [Reply.option]) { arguments in
    let context = try CommandContext(arguments)
    let count = context.project.manifest.functions.count
    return try context.answer(["functions": count], text: "functions.json is valid: \(count) functions")
  }
}
