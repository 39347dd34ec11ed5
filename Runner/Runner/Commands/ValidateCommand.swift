import CLI
import Lifecycle
import Manifest

/// `runner validate`: reads the manifest, which checks it, and asks the bundle's doctors about the app's own texts.
enum ValidateCommand {
  static let spec = CommandSpec("validate", "check functions.json and its languages", [Reply.option]) { arguments in
    let context = try CommandContext(arguments)
    try await BundleDoctors(context.project).validateLanguages()
    let count = context.project.manifest.functions.count
    return try context.answer(["functions": count], text: "functions.json is valid: \(count) functions")
  }
}
