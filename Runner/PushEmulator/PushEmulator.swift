import FunctionKit
import Glibc

/// APNs as a sender sees it.
@main
struct PushEmulator {
  // Explicitly concurrent, because an async entry point must not depend on its caller's isolation.
  @concurrent static func main() async {
    do throws(EmulatorError) {
      try await run(CommandLine.arguments.dropFirst(), .current())
    } catch {
      try? Files.write(Array("push-emulator: \(error.sentence)\n".utf8), to: STDERR_FILENO, path: "stderr")
      exit(error.exitStatus)
    }
  }

  private static func run(_ words: ArraySlice<String>, _ environment: Environment) async throws(EmulatorError) {
    let output = Output.standard(environment)
    let rest = words.dropFirst()
    switch words.first {
    case "--help", "-h": output.write(helpText)
    case "--version": output.write("\(bundleVersion)\n")
    case "serve", "pushes":
      if rest.contains("--help") || rest.contains("-h") { return output.write(helpText) }
      if rest.contains("--version") { return output.write("\(bundleVersion)\n") }
      if words.first == "serve" {
        try await ServeCommand(options: ServeOptions(rest), output: output).run()
      } else {
        try await PushesCommand(options: PushesOptions(rest), environment: environment, output: output).run()
      }
    case .some(let word): throw .usage("There is no command \(word); see --help.")
    case nil: throw .usage("A command is missing: serve or pushes; see --help.")
    }
  }
}
