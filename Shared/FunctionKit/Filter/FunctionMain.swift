extension Function {
  /// Runs the function as a program.
  package static func main() {
    Harness<Self>.run(arguments: CommandLine.arguments)
  }
}

extension BatchFunction {
  /// Runs the function as a program.
  package static func main() {
    Harness<Self>.run(arguments: CommandLine.arguments) { function, batch in try await function.handle(batch) }
  }
}
