import Emulation
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
    case "--help", "-h": output.write(Help.page(of: nil))
    case "--version": output.write("\(bundleVersion)\n")
    case "serve", "pushes", "token":
      if rest.contains("--help") || rest.contains("-h") { return output.write(Help.page(of: words.first)) }
      if rest.contains("--version") { return output.write("\(bundleVersion)\n") }
      switch words.first {
      case "serve": try await ServeCommand(options: ServeOptions(rest), output: output).run()
      case "token": try TokenCommand(options: TokenOptions(rest), environment: environment, output: output).run()
      default: try await PushesCommand(options: PushesOptions(rest), environment: environment, output: output).run()
      }
    case .some(let word): throw .usage("There is no command \(word); see --help.")
    case nil: throw .usage("A command is missing: serve, pushes or token; see --help.")
    }
  }
}
