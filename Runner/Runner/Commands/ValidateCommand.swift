/// `runner validate`: reading the manifest is the check.
struct ValidateCommand {
  private let project: Project

  init(_ words: Words) throws {
    var words = words
    project = try Project(directory: words.value("--project"))
    try words.finish()
  }

  func run() -> Int32 {
    Console.say("functions.json is valid: \(project.manifest.functions.count) functions")
  }
}
