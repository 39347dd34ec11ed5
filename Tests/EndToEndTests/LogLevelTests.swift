import FunctionKit
import TestSupport
import Testing

/// `--log-level` and `LOG_LEVEL`, for the runner and its functions.
@Suite(.heavy)
struct LogLevelTests {
  private static let manifest = #"""
    {"functions":{"echo":{"triggers":[{"http":"key"}]},
      "talk":{"executable":"talk","mode":"oneshot","triggers":[{"http":"key"}]}}}
    """#
  private static let talk = """
    cat > /dev/null; echo '{"level":"debug","message":"too much"}' >&2
    echo '{"level":"warning","message":"enough"}' >&2; env | grep LOG_LEVEL >&2; echo '{}'
    """

  private func serve(_ options: [String], _ environment: [String: String] = [:]) async throws -> [String] {
    let runner = try await RunningRunner(Self.manifest, scripts: ["talk": Self.talk])
    let served = try await runner.start(options: options, environment: environment)
    for function in ["talk", "echo"] { #expect(try await served.call(function).status == 200) }
    served.program.send(15)
    #expect(try await served.program.exit() == 0)
    return served.program.lines
  }

  @Test func withoutOneAllIsLoggedThatFunctionsWrite() async throws {
    let lines = try await serve([])

    #expect(lines.contains { $0.contains("too much") } && lines.contains { $0.contains("enough") })
    #expect(!lines.contains { $0.contains("LOG_LEVEL") } && !lines.contains { $0.contains(#""message":"Done""#) })
  }

  @Test func debugSaysHowEachEventHasEnded() async throws {
    let lines = try await serve(["--log-level", "debug"], ["LOG_LEVEL": "error"])

    #expect(lines.filter { $0.contains(#""message":"Done""#) }.count == 2)
    #expect(lines.contains { $0.contains("The invocation is done") && $0.contains(#""function":"echo""#) })
    #expect(lines.contains("LOG_LEVEL=debug"))
  }

  @Test func infoLeavesOutWhatFunctionsCallDebug() async throws {
    let lines = try await serve([], ["LOG_LEVEL": "info"])

    #expect(!lines.contains { $0.contains("too much") } && lines.contains { $0.contains("enough") })
    #expect(lines.contains("LOG_LEVEL=info"))
  }

  @Test func anotherWordIsRefused() async throws {
    let runner = try await RunningRunner(Self.manifest)
    let option = try await runner.run(["serve", "--log-level", "loud"])
    let function = try await BuiltExecutables.run("echo", stdin: "{}", environment: ["LOG_LEVEL": "loud"])

    #expect(option.exit == 64 && option.stderr.contains("--log-level takes debug, info, warning or error"))
    #expect(function.exit == 78 && function.stderr.contains("LOG_LEVEL must be debug, info, warning or error"))
  }
}
